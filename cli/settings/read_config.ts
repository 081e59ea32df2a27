/**
 * Reads the configuration of this process: the only place that touches its
 * environment. Flags win; every problem is reported at once.
 *
 * @module
 */
import {
  type Config,
  ConfigError,
  flagOf,
  type Given,
  type Key,
  KEYS,
  SETTINGS,
  settingsOf,
  TABLE,
} from "./config.ts";
import type { Row, Source } from "./setting.ts";

const LAYOUT = settingsOf("layout");
const CORTEX = settingsOf("layout", "cortex");

/** Shorter texts are no secrets, and would mask words of the message. */
const MIN_SECRET_CHARACTERS = 6;

/** What is configured, and all that is wrong with it. */
export interface Reading<K extends Key> {
  readonly config: Config<K> & Given;
  readonly problems: readonly string[];
}

/**
 * The configuration of this process, as far as a verb uses it.
 *
 * @throws {ConfigError} Lists everything that is wrong, never a secret.
 */
export async function processConfig<K extends Key>(
  keys: readonly K[],
  flags: Readonly<Record<string, unknown>>,
): Promise<Config<K> & Given> {
  return await readConfig(keys, {
    flags,
    env: (name) => Deno.env.get(name),
    os: Deno.build.os,
    uid: Deno.build.os === "windows" ? null : Deno.uid(),
  });
}

/** The environment of this process without any setting of the program. */
export function foreignEnv(): Record<string, string> {
  const env = Deno.env.toObject();
  for (const { name } of SETTINGS) delete env[name];
  return env;
}

/**
 * Reads settings, and checks what they come to together.
 *
 * @throws {ConfigError} Lists everything that is wrong, never a secret.
 */
export async function readConfig<K extends Key>(
  keys: readonly K[],
  source: Source,
): Promise<Config<K> & Given> {
  const { config, problems } = readSettings(keys, source);
  const all = [...problems, ...await cortexProblems(config)];
  if (all.length === 0) return config;
  const secrets = secretsOf(keys, source);
  throw new ConfigError(all.map((line) => masked(line, secrets)));
}

/** Reads settings one by one; a wrong one counts as unset. */
export function readSettings<K extends Key>(
  keys: readonly K[],
  source: Source,
): Reading<K> {
  const values: Partial<Record<Key, unknown>> = {};
  const given = new Set<Key>();
  const problems: string[] = [];
  for (const key of KEYS) {
    if (!keys.some((one) => one === key)) continue;
    const row: Row = TABLE[key];
    const text = textOf(key, source);
    if (text !== undefined) given.add(key);
    const parsed = text === undefined ? undefined : row.parse(text, row.name);
    if (parsed?.ok === false) problems.push(...parsed.problems);
    values[key] = parsed?.ok ? parsed.value : row.unset(source);
  }
  // Each value comes from the row that its type is taken from.
  const config = { ...values, given } as unknown as Config<K> & Given;
  return { config, problems };
}

/** What was set; blank is unset. */
function textOf(key: Key, { flags, env }: Source): string | undefined {
  const flag = flags[flagOf(key)];
  const text = typeof flag === "string" ? flag : env(TABLE[key].name);
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}

/** Without a setting there is nothing to check, and cortex is not loaded. */
async function cortexProblems(
  config: Partial<Config> & Given,
): Promise<readonly string[]> {
  if (!CORTEX.some((key) => config.given.has(key))) return [];
  const { checkCortex, checkLayout } = await import(
    "./cortex_settings.ts"
  );
  if (holds(config, CORTEX)) return checkCortex(config);
  return holds(config, LAYOUT) ? checkLayout(config) : [];
}

function holds<K extends Key>(
  config: Partial<Config>,
  keys: readonly K[],
): config is Config<K> {
  return keys.every((key) => Object.hasOwn(config, key));
}

function secretsOf(keys: readonly Key[], source: Source): readonly string[] {
  return keys.filter((key) => (TABLE[key] as Row).isSecret)
    .flatMap((key) => {
      const text = textOf(key, source) ?? "";
      return [text, ...text.split(",")];
    }).filter((text) => text.length >= MIN_SECRET_CHARACTERS);
}

function masked(line: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), line);
}
