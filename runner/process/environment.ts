/**
 * The environment of an agent: a short list, and what was added to it by name.
 *
 * The runner's own environment may hold anything, credentials of the server
 * among them; an agent gets none of it that is not named here.
 *
 * @module
 */

/** What every program may need. */
const COMMON_NAMES = [
  "PATH",
  "LANG",
  "LC_ALL",
  "TZ",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy",
  "SYSTEMROOT",
  "PATHEXT",
  "COMSPEC",
];

/** Never handed on, whoever names them: they open the server. */
const WITHHELD_REGEXP =
  /^(API_KEYS|DATABASE_URL|CORTEX_API_KEY|RUNNER_TOKEN|ROOTCELLAR_HOME|TOKEN_FILE)(_FILE)?$|^PG(PASSWORD|PASSFILE|SERVICEFILE)$/;

/** What an environment is made of. */
export interface EnvironmentOrder {
  /** The runner's. */
  readonly from: Readonly<Record<string, string>>;
  /** Names that somebody added: `RUNNER_ENV`. */
  readonly added: readonly string[];
  /** Names that the runtime needs. */
  readonly ofRuntime: readonly string[];
  /** Home folder of the agent. */
  readonly home: string;
  /** Folder for files of the moment. */
  readonly temporary: string;
  /** What is set whatever the runner has. */
  readonly own: Readonly<Record<string, string>>;
}

/** Makes it. */
export function agentEnvironment(
  { from, added, ofRuntime, home, temporary, own }: EnvironmentOrder,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of [...COMMON_NAMES, ...ofRuntime, ...added]) {
    const value = from[name];
    if (value !== undefined && !isWithheld(name)) env[name] = value;
  }
  return {
    ...env,
    HOME: home,
    TMPDIR: temporary,
    TERM: "dumb",
    NO_COLOR: "1",
    ...own,
  };
}

/** Whether a name is never handed on. */
export function isWithheld(name: string): boolean {
  return WITHHELD_REGEXP.test(name);
}

/** A text with its `${NAME}` replaced, or the names that have no value. */
export function resolveVariables(
  text: string,
  from: Readonly<Record<string, string>>,
): { readonly text: string; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const resolved = text.replaceAll(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g,
    (whole, name: string) => {
      const value = isWithheld(name) ? undefined : from[name];
      if (value === undefined) missing.push(name);
      return value ?? whole;
    },
  );
  return { text: resolved, missing };
}
