/**
 * What the environment says beside the settings: where the caller stands, what
 * the Deno of another process needs, and which addresses a proxy is for.
 *
 * @module
 */
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** An environment. */
export type Variables = Pick<Deno.Env, "get" | "set">;

/** Where `deno task` notes the folder that it was called in. */
const CALLER_VARIABLE = "INIT_CWD";

const PROXY_NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
const NO_PROXY_NAMES = ["NO_PROXY", "no_proxy"];

/** What Deno's `NO_PROXY` has to hold for loopback, however it is written. */
const LOOPBACK_TARGETS: readonly string[] = [
  "localhost",
  "127.0.0.0/8",
  "::1",
  "::ffff:127.0.0.0/104",
];

/** Files and folders that Deno works with, some of them elsewhere by default. */
const DENO_PATH_NAMES: readonly string[] = [
  "DENO_DIR",
  "XDG_CACHE_HOME",
  "DENO_CERT",
];

/**
 * Variables that decide how Deno starts and what it reaches, and where the
 * standard home is. Clients hand on a few others only, or none.
 */
const HANDED_ON_NAMES: readonly string[] = [
  ...DENO_PATH_NAMES,
  "DENO_TLS_CA_STORE",
  "DENO_NO_UPDATE_CHECK",
  "NPM_CONFIG_REGISTRY",
  "XDG_DATA_HOME",
  ...PROXY_NAMES.flatMap((name) => [name, name.toLowerCase()]),
];

/** Variables that move the files of clients. */
const CLIENT_FOLDER_NAMES: readonly string[] = [
  "CODEX_HOME",
  "COPILOT_HOME",
  "XDG_CONFIG_HOME",
];

/** Every variable that is no setting and read all the same. */
export const FOREIGN_NAMES: readonly string[] = [
  CALLER_VARIABLE,
  ...HANDED_ON_NAMES,
  ...NO_PROXY_NAMES,
  "HOME",
  "LOCALAPPDATA",
  ...CLIENT_FOLDER_NAMES,
];

/**
 * The folder whoever called this process stands in. `deno task` runs it in the
 * folder of `deno.json`; in any other folder it was started directly.
 */
export function callerFolder(): string {
  const here = Deno.cwd();
  const noted = Deno.env.get(CALLER_VARIABLE) ?? "";
  return isAbsolute(noted) && here === programFolder() ? noted : here;
}

/** A variable that says where a client's own files lie. */
export function clientVariable(name: string): string | undefined {
  return Deno.env.get(name);
}

/**
 * All variables by name, for what picks from them by a list of its own: the
 * environment of agents.
 */
export function allVariables(): Readonly<Record<string, string>> {
  return Deno.env.toObject();
}

/** A path as the caller meant it, absolute. */
export function callerPath(path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(callerFolder(), path);
}

/** Variables that a process of this program needs, too, paths absolute. */
export function handedOnEnv(
  variables: Variables = Deno.env,
): Record<string, string> {
  const names = [
    ...HANDED_ON_NAMES,
    ...(hasProxy(variables) ? NO_PROXY_NAMES : []),
  ];
  const env: Record<string, string> = {};
  for (const name of names) {
    const value = variables.get(name) ?? "";
    if (value.trim() === "") continue;
    env[name] = DENO_PATH_NAMES.includes(name) ? resolve(value) : value;
  }
  return env;
}

/**
 * Keeps what goes to this machine away from a proxy, which would see the
 * credentials of it, and reach another machine. To be called before the first
 * `fetch`: Deno reads the variables then, for good.
 */
export function keepLoopbackDirect(variables: Variables = Deno.env): void {
  if (!hasProxy(variables)) return;
  const set = NO_PROXY_NAMES.filter((name) =>
    variables.get(name) !== undefined
  );
  for (const name of set.length > 0 ? set : NO_PROXY_NAMES.slice(0, 1)) {
    const targets = (variables.get(name) ?? "").split(",")
      .map((target) => target.trim()).filter((target) => target !== "");
    const all = new Set([...targets, ...LOOPBACK_TARGETS]);
    variables.set(name, [...all].join(","));
  }
}

/** The proxies of this process, by variable; values may hold credentials. */
export function proxyNames(
  variables: Variables = Deno.env,
): readonly string[] {
  return PROXY_NAMES.flatMap((name) => [name, name.toLowerCase()])
    .filter((name) => (variables.get(name) ?? "").trim() !== "");
}

function hasProxy(variables: Variables): boolean {
  return proxyNames(variables).length > 0;
}

function programFolder(): string {
  return Deno.realPathSync(fileURLToPath(new URL("../../", import.meta.url)));
}
