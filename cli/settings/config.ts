/**
 * Configuration: one table of names, read from flags and environment in one
 * place. Flags win; every problem is reported at once.
 *
 * @module
 */
import { resolve } from "node:path";
import { LOG_LEVELS, type LogLevel } from "../../mcp/mod.ts";
import { defaultHome } from "../../store/embedded/mod.ts";
import type { CortexConfig } from "./cortex_config.ts";

/** Everything that can be configured. */
export interface Config {
  readonly home: string;
  /** Whether somebody chose the home, so that others have to be told. */
  readonly isHomeChosen: boolean;
  readonly databaseUrl: string | undefined;
  readonly databasePool: number;
  readonly catalog: string | undefined;
  readonly catalogRefreshSeconds: number;
  readonly catalogAliases: Readonly<Record<string, string>>;
  readonly host: string;
  readonly port: number;
  /** Empty where none are configured. */
  readonly apiKeys: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly requireSessionToken: boolean;
  /** Where memory is kept. */
  readonly cortex: CortexConfig;
  /** Undefined where nothing is configured: each verb has its own. */
  readonly logLevel: LogLevel | undefined;
}

/** A start-up value is wrong: one line a problem, exit code 2. */
export class ConfigError extends Error {
  /** Always `ConfigError`. */
  override readonly name = "ConfigError";
  /** All problems that were found. */
  readonly problems: readonly string[];

  /** Takes the problems, each a line for the operator. */
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** One line of the configuration table. */
export interface Setting {
  /** Name in the environment; the flag is the same in lower case with `-`. */
  readonly name: string;
  /** What holds when it is unset, for people. */
  readonly standard: string;
  /** What it means, for people. */
  readonly meaning: string;
}

/** The configuration table, as README and `--help` show it. */
export const SETTINGS: readonly Setting[] = [
  {
    name: "ROOTCELLAR_HOME",
    standard: "the platform's data folder; `/var/lib/rootcellar` for root",
    meaning: "data folder of the embedded PostgreSQL and the generated API key",
  },
  {
    name: "DATABASE_URL",
    standard: "embedded PostgreSQL",
    meaning: "a PostgreSQL 14 or newer to use instead",
  },
  {
    name: "DATABASE_POOL",
    standard: "5",
    meaning:
      "connections to the database, 2 to 100 (a sweep holds one while it works)",
  },
  {
    name: "CATALOG",
    standard: "`./air.json`, else `./roots.json`, else the built-in example",
    meaning: "path or http(s) URL of the catalog of agent roots",
  },
  {
    name: "CATALOG_REFRESH_SECONDS",
    standard: "60",
    meaning: "age at which the catalog is read again in the background",
  },
  {
    name: "CATALOG_ALIASES",
    standard: "none",
    meaning: "old root names and what they stand for: `old=new,older=new`",
  },
  { name: "HOST", standard: "127.0.0.1", meaning: "address HTTP listens on" },
  {
    name: "PORT",
    standard: "7668",
    meaning: "port HTTP listens on; 0 picks one",
  },
  {
    name: "API_KEYS",
    standard: "on loopback a generated key; elsewhere none, and no start",
    meaning: "comma list of keys that open the endpoint",
  },
  {
    name: "ALLOWED_HOSTS",
    standard: "loopback names and HOST",
    meaning: "Host names HTTP answers to, without port; `*` for all",
  },
  {
    name: "ALLOWED_ORIGINS",
    standard: "loopback names",
    meaning: "host names of web pages that may call; `*` for all",
  },
  {
    name: "REQUIRE_SESSION_TOKEN",
    standard: "off",
    meaning:
      "root data and memory only for connections that prove their session",
  },
  {
    name: "CORTEX_URL",
    standard: "the local CortexDB, in this process",
    meaning: "a CortexDB that keeps memory instead; https, or on loopback",
  },
  {
    name: "CORTEX_API_KEY",
    standard: "none",
    meaning: "the key that it opens with",
  },
  {
    name: "CORTEX_ACTOR",
    standard: "whom the key speaks for",
    meaning: "the actor to act as, `user:ID`; direct wire only",
  },
  {
    name: "CORTEX_WIRE",
    standard: "direct",
    meaning:
      "`direct`: CortexDB's own API; `hosted`: behind a backend that pins a tenant",
  },
  {
    name: "CORTEX_SCOPE_ROOT",
    standard: "none: the legacy layout",
    meaning: "the scope that all memory lies below, `org:ID` for one person",
  },
  {
    name: "CORTEX_TENANT_ROOT",
    standard: "off",
    meaning: "memory lies below the tenant itself; hosted wire only",
  },
  {
    name: "CORTEX_RETIRED_ROOT",
    standard: "none",
    meaning: "an earlier root that is still read and forgotten, never written",
  },
  {
    name: "CORTEX_SCOPE_OWNER",
    standard: "none",
    meaning: "the actor that CORTEX_SCOPE_ROOT is registered to, `user:ID`",
  },
  {
    name: "CORTEX_CHAT_NODE",
    standard: "ws:main",
    meaning: "the node of the conversations that all agents share",
  },
  {
    name: "LOG_LEVEL",
    standard: "info for servers, warn for other commands",
    meaning: "debug, info, warn or error; JSON lines on stderr",
  },
];

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];
const DEFAULT_PORT = 7668;
const MAX_PORT = 65_535;

/** The flag of a setting: `DATABASE_URL` is `--database-url`. */
export function flagOf({ name }: Setting): string {
  return name === "ROOTCELLAR_HOME"
    ? "home"
    : name.toLowerCase().replaceAll("_", "-");
}

/**
 * Reads the configuration. `checkCortex` says what is wrong with what is set
 * for CortexDB.
 *
 * @throws {ConfigError} Lists everything that is wrong, never a secret.
 */
export function readConfig(
  flags: Readonly<Record<string, unknown>>,
  env: (name: string) => string | undefined,
  machine: { readonly os: string; readonly uid: number | null },
  checkCortex: (cortex: CortexConfig) => readonly string[] = () => [],
): Config {
  const problems: string[] = [];
  const read = (name: string): string | undefined => {
    const setting = SETTINGS.find((one) => one.name === name);
    const flag = setting === undefined ? undefined : flags[flagOf(setting)];
    const value = typeof flag === "string" ? flag : env(name);
    return value === undefined || value.trim() === ""
      ? undefined
      : value.trim();
  };
  const whole = (name: string, standard: number, from: number, to: number) => {
    const text = read(name);
    if (text === undefined) return standard;
    const value = /^[0-9]+$/.test(text) ? Number(text) : NaN;
    if (value >= from && value <= to) return value;
    problems.push(
      `${name} must be a whole number from ${from} to ${to}: it is "${
        text.slice(0, 40)
      }"`,
    );
    return standard;
  };
  const host = read("HOST") ?? "127.0.0.1";
  const config: Config = {
    home: resolve(
      read("ROOTCELLAR_HOME") ?? defaultHome(env, machine.os, machine.uid),
    ),
    isHomeChosen: read("ROOTCELLAR_HOME") !== undefined,
    databaseUrl: databaseUrlOf(read("DATABASE_URL"), problems),
    databasePool: whole("DATABASE_POOL", 5, 2, 100),
    catalog: read("CATALOG"),
    catalogRefreshSeconds: whole("CATALOG_REFRESH_SECONDS", 60, 1, 86_400),
    catalogAliases: aliasesOf(read("CATALOG_ALIASES"), problems),
    host,
    port: whole("PORT", DEFAULT_PORT, 0, MAX_PORT),
    apiKeys: keysOf(read("API_KEYS"), problems),
    allowedHosts: hostsOf(read("ALLOWED_HOSTS")) ??
      [...LOOPBACK_NAMES, bracketed(host)],
    allowedOrigins: hostsOf(read("ALLOWED_ORIGINS")) ?? LOOPBACK_NAMES,
    requireSessionToken: switchOf(
      "REQUIRE_SESSION_TOKEN",
      read("REQUIRE_SESSION_TOKEN"),
      problems,
    ),
    cortex: {
      url: read("CORTEX_URL"),
      apiKey: read("CORTEX_API_KEY"),
      actor: read("CORTEX_ACTOR"),
      wire: read("CORTEX_WIRE"),
      scopeRoot: read("CORTEX_SCOPE_ROOT"),
      isTenantRoot: switchOf(
        "CORTEX_TENANT_ROOT",
        read("CORTEX_TENANT_ROOT"),
        problems,
      ),
      retiredRoot: read("CORTEX_RETIRED_ROOT"),
      scopeOwner: read("CORTEX_SCOPE_OWNER"),
      chatNode: read("CORTEX_CHAT_NODE"),
    },
    logLevel: levelOf(read("LOG_LEVEL"), problems),
  };
  problems.push(...checkCortex(config.cortex));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Whether an address is reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" ||
    /^127(\.[0-9]{1,3}){3}$/.test(host);
}

function databaseUrlOf(
  text: string | undefined,
  problems: string[],
): string | undefined {
  if (text === undefined) return undefined;
  if (/^postgres(ql)?:\/\//.test(text) && isDecodable(text)) return text;
  // The value may hold a password, so it is not repeated.
  problems.push(
    "DATABASE_URL must read postgres://user:password@host:port/database",
  );
  return undefined;
}

/** Whether user, password and path are whole, as the driver will read them. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(new URL(text).href);
    return true;
  } catch {
    return false;
  }
}

/** Keys as a header can carry them, and none that reads like a token. */
function keysOf(text: string | undefined, problems: string[]): string[] {
  const keys = listOf(text);
  keys.forEach((key, at) => {
    if (!/^[\x21-\x7e]+$/.test(key)) {
      problems.push(
        `API_KEYS: key ${
          at + 1
        } holds a blank or a character beyond ASCII, which no header carries`,
      );
    } else if (key.startsWith("rcs_")) {
      problems.push(
        `API_KEYS: key ${at + 1} begins with rcs_, which marks session tokens`,
      );
    }
  });
  return keys;
}

function aliasesOf(
  text: string | undefined,
  problems: string[],
): Record<string, string> {
  const aliases: Record<string, string> = {};
  for (const pair of listOf(text)) {
    const [from, to, ...rest] = pair.split("=").map((part) => part.trim());
    if (!from || !to || rest.length > 0) {
      problems.push(
        `CATALOG_ALIASES must read old=new,older=new: "${pair}" does not`,
      );
    } else if (Object.hasOwn(aliases, from) && aliases[from] !== to) {
      problems.push(
        `CATALOG_ALIASES gives "${from}" two meanings: "${
          aliases[from]
        }" and "${to}"`,
      );
    } else aliases[from] = to;
  }
  return aliases;
}

function levelOf(
  text: string | undefined,
  problems: string[],
): LogLevel | undefined {
  if (text === undefined) return undefined;
  const level = LOG_LEVELS.find((one) => one === text.toLowerCase());
  if (level === undefined) {
    problems.push(
      `LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}: it is "${
        text.slice(0, 40)
      }"`,
    );
  }
  return level;
}

function switchOf(
  name: string,
  text: string | undefined,
  problems: string[],
): boolean {
  const value = (text ?? "off").toLowerCase();
  if (["on", "true", "1", "yes"].includes(value)) return true;
  if (["off", "false", "0", "no"].includes(value)) return false;
  problems.push(`${name} must be on or off: it is "${value.slice(0, 40)}"`);
  return false;
}

function listOf(text: string | undefined): string[] {
  return (text ?? "").split(",").map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Host names as the Host header has them: lower case, without port. */
function hostsOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  return listOf(text).map((part) => {
    if (part === "*") return part;
    const address = part.includes("://") ? part : `http://${bracketed(part)}`;
    return URL.canParse(address) ? new URL(address).hostname : part;
  });
}

/** An IPv6 address in brackets, as URLs have it; anything else as it is. */
export function bracketed(host: string): string {
  return (host.match(/:/g) ?? []).length > 1 && !host.startsWith("[")
    ? `[${host}]`
    : host;
}
