/**
 * Configuration: the table of settings, and the types that follow from it.
 *
 * Environment, flags, help, what verbs may read and what other processes are
 * told are derived from the rows; a new setting is a new row and nothing else.
 *
 * @module
 */
import { resolve } from "node:path";
import { LOG_LEVELS } from "../../mcp/mod.ts";
import { defaultHome } from "../../store/embedded/mod.ts";
import { LOOPBACK_NAMES } from "./hosts.ts";
import { FLEET_ROWS, OUTSIDE_ROWS } from "./fleet_rows.ts";
import { type Row, row } from "./setting.ts";
import {
  aliases,
  argv,
  headerKeys,
  hosts,
  names,
  oneOf,
  onOff,
  path,
  pathOrUrl,
  postgresUrl,
  text,
  textOr,
  whole,
} from "./values.ts";

export { ConfigError } from "./config_error.ts";

/** Every setting by its key in {@link Config}, in the order of the README. */
export const TABLE = {
  home: row({
    name: "ROOTCELLAR_HOME",
    group: "database",
    meaning: "data folder of the embedded PostgreSQL and the generated API key",
    isCarried: true,
    ...path(
      "the platform's data folder; `/var/lib/rootcellar` for root",
      ({ env, os, uid }) => resolve(defaultHome(env, os, uid)),
    ),
  }),
  databaseUrl: row({
    name: "DATABASE_URL",
    group: "database",
    meaning: "a PostgreSQL 14 or newer to use instead",
    isSecret: true,
    isCarried: true,
    ...postgresUrl("embedded PostgreSQL"),
  }),
  databasePool: row({
    name: "DATABASE_POOL",
    group: "database",
    meaning:
      "connections to the database, 2 to 100 (a sweep holds one while it works)",
    ...whole(5, 2, 100),
  }),
  catalog: row({
    name: "CATALOG",
    group: "catalog",
    meaning: "path or http(s) URL of the catalog of agent roots, or `built-in`",
    isCarried: true,
    ...pathOrUrl(
      "`./air.json`, else `./roots.json`, else the built-in example",
    ),
  }),
  catalogRefreshSeconds: row({
    name: "CATALOG_REFRESH_SECONDS",
    group: "refresh",
    meaning: "age at which the catalog is read again in the background",
    ...whole(60, 1, 86_400),
  }),
  catalogAliases: row({
    name: "CATALOG_ALIASES",
    group: "catalog",
    meaning: "old root names and what they stand for: `old=new,older=new`",
    isCarried: true,
    ...aliases(),
  }),
  ...FLEET_ROWS,
  host: row({
    name: "HOST",
    group: "http",
    meaning: "address HTTP listens on",
    ...textOr("127.0.0.1"),
  }),
  port: row({
    name: "PORT",
    group: "http",
    meaning: "port HTTP listens on; 0 picks one",
    ...whole(7668, 0, 65_535),
  }),
  apiKeys: row({
    name: "API_KEYS",
    group: "http",
    meaning: "comma list of keys that open the endpoint",
    isSecret: true,
    ...headerKeys("on loopback a generated key; elsewhere none, and no start"),
  }),
  allowedHosts: row({
    name: "ALLOWED_HOSTS",
    group: "http",
    meaning: "Host names HTTP answers to, without port; `*` for all",
    ...hosts("loopback names and HOST", undefined),
  }),
  allowedOrigins: row({
    name: "ALLOWED_ORIGINS",
    group: "http",
    meaning: "host names of web pages that may call; `*` for all",
    ...hosts("loopback names", LOOPBACK_NAMES),
  }),
  requireSessionToken: row({
    name: "REQUIRE_SESSION_TOKEN",
    group: "http",
    meaning:
      "root data and memory only for connections that prove their session",
    ...onOff(),
  }),
  cortexUrl: row({
    name: "CORTEX_URL",
    group: "cortex",
    meaning: "a CortexDB that keeps memory instead; https, or on loopback",
    isCarried: true,
    ...text("the local CortexDB, in this process"),
  }),
  cortexApiKey: row({
    name: "CORTEX_API_KEY",
    group: "cortex",
    meaning: "the key that it opens with",
    isSecret: true,
    isCarried: true,
    ...text("none"),
  }),
  cortexActor: row({
    name: "CORTEX_ACTOR",
    group: "cortex",
    meaning: "the actor to act as, `user:ID`; direct wire only",
    isCarried: true,
    ...text("whom the key speaks for"),
  }),
  cortexWire: row({
    name: "CORTEX_WIRE",
    group: "layout",
    meaning:
      "`direct`: CortexDB's own API; `hosted`: behind a backend that pins a tenant",
    isCarried: true,
    ...text("direct"),
  }),
  cortexScopeRoot: row({
    name: "CORTEX_SCOPE_ROOT",
    group: "layout",
    meaning: "the scope that all memory lies below, `org:ID` for one person",
    isCarried: true,
    ...text("none: the legacy layout"),
  }),
  cortexTenantRoot: row({
    name: "CORTEX_TENANT_ROOT",
    group: "layout",
    meaning: "memory lies below the tenant itself; hosted wire only",
    isCarried: true,
    ...onOff(),
  }),
  cortexRetiredRoot: row({
    name: "CORTEX_RETIRED_ROOT",
    group: "layout",
    meaning: "an earlier root that is still read and forgotten, never written",
    isCarried: true,
    ...text("none"),
  }),
  cortexScopeOwner: row({
    name: "CORTEX_SCOPE_OWNER",
    group: "layout",
    meaning: "the actor that CORTEX_SCOPE_ROOT is registered to, `user:ID`",
    isCarried: true,
    ...text("none"),
  }),
  cortexChatNode: row({
    name: "CORTEX_CHAT_NODE",
    group: "cortex",
    meaning: "the node of the conversations that all agents share",
    isCarried: true,
    ...text("ws:main"),
  }),
  embeddingsUrl: row({
    name: "EMBEDDINGS_URL",
    group: "cortex",
    meaning:
      "an OpenAI-compatible service whose vectors let recall find by meaning, like `http://127.0.0.1:11434` for Ollama",
    isCarried: true,
    ...text("none: recall by words alone"),
  }),
  embeddingsModel: row({
    name: "EMBEDDINGS_MODEL",
    group: "cortex",
    meaning: "the model that it is asked for; another one embeds all anew",
    isCarried: true,
    ...text("none"),
  }),
  embeddingsApiKey: row({
    name: "EMBEDDINGS_API_KEY",
    group: "cortex",
    meaning: "the key that it opens with",
    isSecret: true,
    isCarried: true,
    ...text("none"),
  }),
  runnerCommand: row({
    name: "RUNNER_COMMAND",
    group: "runner",
    meaning:
      "what the runtime `command` starts: a JSON list of program and arguments; wins over the catalog's",
    readBy: "both",
    ...argv("the command of the agent root"),
  }),
  runnerEnv: row({
    name: "RUNNER_ENV",
    group: "runner",
    meaning: "comma list of variables that agents get beyond their own",
    readBy: "runner",
    ...names("none"),
  }),
  runnerTrustCatalog: row({
    name: "RUNNER_TRUST_CATALOG",
    group: "runner",
    meaning:
      "a catalog from an address may name programs that the runner starts",
    readBy: "runner",
    ...onOff(),
  }),
  agentProfiles: row({
    name: "AGENT_PROFILES",
    group: "runner",
    meaning: "a JSON file of agents that speak the Agent Client Protocol",
    readBy: "runner",
    ...text("those that come with the program"),
  }),
  runnerMemoryMb: row({
    name: "RUNNER_MEMORY_MB",
    group: "runner",
    meaning: "memory of all processes of a turn together, in MiB",
    readBy: "runner",
    ...whole(4_096, 64, 1_048_576),
  }),
  runnerProcesses: row({
    name: "RUNNER_PROCESSES",
    group: "runner",
    meaning: "processes of a turn at once",
    readBy: "runner",
    ...whole(500, 1, 100_000),
  }),
  ...OUTSIDE_ROWS,
  logLevel: row({
    name: "LOG_LEVEL",
    group: "log",
    meaning: "debug, info, warn or error; JSON lines on stderr",
    ...oneOf("info for HTTP servers, warn for other commands", LOG_LEVELS),
  }),
};

type Table = typeof TABLE;

/** The key of a setting. */
export type Key = keyof Table;

/** A group of settings. */
export type Group = Table[Key]["group"];

/** The keys of some groups. */
export type KeyOf<G extends Group> = {
  [K in Key]: Table[K]["group"] extends G ? K : never;
}[Key];

/** What is configured: all of it, or what a part of the program uses. */
export type Config<K extends Key = Key> = {
  readonly [Each in K]: ReturnType<Table[Each]["unset"]>;
};

/** Where memory is kept. */
export type CortexConfig = Config<KeyOf<"cortex" | "layout">>;

/** Which settings somebody set, so that other processes have to be told. */
export interface Given {
  /** Their keys. */
  readonly given: ReadonlySet<Key>;
  /** The files that secrets came from, where they came from one. */
  readonly files?: ReadonlyMap<Key, string>;
}

/** Every key, in the order of the table. */
export const KEYS: readonly Key[] = Object.keys(TABLE) as Key[];

/** A setting, as documents and `--help` show it. */
export interface Setting extends Pick<Row, "name" | "standard" | "meaning"> {
  /** Its key in {@link Config}. */
  readonly key: Key;
  /** Its flag, without dashes. */
  readonly flag: string;
  /** Whether it must not be shown. */
  readonly isSecret: boolean;
  /** Names of variable and flag of a file that holds it; for secrets. */
  readonly file?: { readonly name: string; readonly flag: string };
  /** Which process reads it. */
  readonly readBy: "server" | "runner" | "both";
}

/** The configuration table, as README and `--help` show it. */
export const SETTINGS: readonly Setting[] = KEYS.map((key) => {
  const { name, standard, meaning, isSecret = false, readBy = "server" }: Row =
    TABLE[key];
  const flag = flagOf(key);
  return {
    key,
    flag,
    name,
    standard,
    meaning,
    isSecret,
    ...(isSecret
      ? { file: { name: `${name}_FILE`, flag: `${flag}-file` } }
      : {}),
    readBy,
  };
});

/** The flag of a setting, without dashes: `databaseUrl` is `database-url`. */
export function flagOf(key: Key): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The keys of all settings of some groups, for a verb to name. */
export function settingsOf<const G extends Group>(
  ...groups: readonly G[]
): readonly KeyOf<G>[] {
  return KEYS.filter((key): key is KeyOf<G> =>
    groups.some((group) => group === TABLE[key].group)
  );
}
