/**
 * `connect`: prints the entry that a client needs.
 *
 * @module
 */
import {
  type Client,
  CLIENTS,
  type Connector,
  ENTRY_NAME,
  entryFor,
  type Services,
} from "../../mcp/mod.ts";
import { type Fleet, knownRoot, startSession } from "../../fleet/mod.ts";
import { findSessionByName, type Session } from "../../store/sessions/mod.ts";
import {
  type Config,
  ConfigError,
  type Given,
  settingsOf,
} from "../settings/config.ts";
import { apiKeysOf } from "../app/api_key.ts";
import {
  type EntryConfig,
  httpConnector,
  stdioConnector,
} from "../entry/connector.ts";
import { callerPath } from "../settings/environment.ts";
import { print, printError } from "../output.ts";
import { buildParts } from "../app/parts.ts";
import { knownGroups } from "../known.ts";
import { type Call, defineVerb, type Flag, textFlag } from "../verb.ts";

/** Flags of the verbs that hand out an entry. */
export const ENTRY_FLAGS: Readonly<Record<string, Flag>> = {
  client: {
    type: "string",
    meaning: `whose configuration: ${
      Object.entries(CLIENTS).map(([name, what]) => `${name} (${what})`)
        .join("; ")
    }; default claude`,
  },
  transport: { type: "string", meaning: "stdio (default) or http" },
  name: {
    type: "string",
    meaning:
      `name of the entry, for more than one in a file; default ${ENTRY_NAME}`,
  },
  write: {
    type: "string",
    meaning: "put the entry into this file, leaving the rest of it as it is",
  },
};

/** What every client takes, short enough for the names of tools behind it. */
const ENTRY_NAME_REGEXP = /^[a-z0-9][a-z0-9_-]{0,31}$/i;

const HTTP_SETTINGS = [
  "host",
  "port",
  "apiKeys",
  "requireSessionToken",
] as const;

/** The verb. */
export const connect = defineVerb({
  summary:
    "Prints the entry that a client's configuration needs, or puts it there: for a root (each start is a new session) or for one session.",
  flags: {
    root: { type: "string", meaning: "catalog name of the agent root" },
    session: { type: "string", meaning: "id or slug of a session" },
    ...ENTRY_FLAGS,
    groups: { type: "string", meaning: "tool groups, a comma list" },
  },
  settings: [
    ...settingsOf("database", "catalog", "layout", "cortex", "log"),
    ...HTTP_SETTINGS,
  ],
  async run(call, config) {
    const transport = transportOf(call, "stdio");
    clientOf(call);
    entryNameOf(call);
    const root = textFlag(call, "root");
    const name = textFlag(call, "session");
    const groups = knownGroups(textFlag(call, "groups"));
    if ((root === undefined) === (name === undefined)) {
      throw new ConfigError([
        "connect needs either --root NAME or --session ID",
      ]);
    }
    await using parts = buildParts(config);
    const { services, fleet } = parts;
    const way = { config, services, fleet, transport, groups };
    const connector = root === undefined
      ? await reachSession(way, String(name))
      : await reachRoot(way, root);
    await handOut(call, connector);
    if (connector.kind === "http") {
      const { origin } = new URL(connector.url);
      printError(
        `It needs the server at ${origin} to run: deno task start, or serve`,
      );
    }
    return 0;
  },
});

interface Way {
  readonly config:
    & EntryConfig
    & Config<typeof HTTP_SETTINGS[number]>
    & Given;
  readonly services: Services;
  readonly fleet: Fleet;
  readonly transport: "stdio" | "http";
  /** Undefined leaves them to the session. */
  readonly groups: readonly string[] | undefined;
}

/** Over stdio each start is a new session; over HTTP one is registered now. */
async function reachRoot(
  { config, fleet, transport, groups }: Way,
  name: string,
): Promise<Connector> {
  if (transport === "stdio") {
    const catalog = await fleet.catalog.current();
    const root = knownRoot(catalog, name);
    const words = ["--root", root.name, ...groupWords(groups)];
    return stdioConnector(config, catalog, words);
  }
  const { session, token } = await startSession(fleet, {
    agentRoot: name,
    toolGroups: groups,
  });
  return httpConnector(
    config,
    { id: session.id, token },
    groups?.join(","),
  );
}

/** An existing session's token is stored nowhere: its entry uses an API key. */
async function reachSession(
  { config, services, transport, groups }: Way,
  name: string,
): Promise<Connector> {
  const session = await findSessionByName(await services.store.db(), name);
  if (session === undefined) {
    throw new ConfigError([`Session not found: ${name}`]);
  }
  const own = groups ?? session.toolGroups ?? undefined;
  if (transport === "stdio") {
    return await sessionOverStdio(config, services, session, own);
  }
  if (config.requireSessionToken) {
    throw new ConfigError([
      `REQUIRE_SESSION_TOKEN is on, and the token of session ${session.id} was shown only when it was registered: use that one, or register another session`,
    ]);
  }
  const [key] = await apiKeysOf(config);
  return httpConnector(config, { id: session.id, key }, own?.join(","));
}

/** The entry of one session over stdio, in the session's own groups. */
export async function sessionOverStdio(
  config: EntryConfig & Given,
  services: Services,
  session: Session,
  groups: readonly string[] | undefined = session.toolGroups ?? undefined,
): Promise<Connector> {
  const words = ["--session", String(session.id), ...groupWords(groups)];
  return stdioConnector(config, await services.catalog.current(), words);
}

function groupWords(groups: readonly string[] | undefined): readonly string[] {
  return groups === undefined ? [] : ["--groups", groups.join(",")];
}

/** Prints the entry, or puts it into the file of `--write`. */
export async function handOut(call: Call, connector: Connector): Promise<void> {
  const client = clientOf(call);
  const name = entryNameOf(call);
  const given = textFlag(call, "write");
  if (given === undefined) return print(entryFor(client, connector, name));
  const path = callerPath(given);
  const { writeEntry } = await import("../entry/write_entry.ts");
  const outcome = await writeEntry(path, client, connector, name);
  print(
    outcome === "created"
      ? `Wrote ${path} with the entry`
      : outcome === "added"
      ? `Added the entry to ${path}`
      : `Replaced the entry in ${path}`,
  );
}

/** How the client is to reach the server. @throws {ConfigError} Unknown. */
export function transportOf(
  call: Call,
  standard: "stdio" | "http",
): "stdio" | "http" {
  const name = textFlag(call, "transport") ?? standard;
  if (name === "stdio" || name === "http") return name;
  throw new ConfigError([`--transport must be stdio or http: it is "${name}"`]);
}

/** What the entry is called. @throws {ConfigError} Clients would refuse it. */
export function entryNameOf(call: Call): string {
  const name = textFlag(call, "name") ?? ENTRY_NAME;
  if (ENTRY_NAME_REGEXP.test(name)) return name;
  throw new ConfigError([
    `--name must be up to 32 of a-z, A-Z, 0-9, - and _, beginning with a letter or digit: it is "${
      name.slice(0, 40)
    }"`,
  ]);
}

/** Whose entry it is. @throws {ConfigError} Unknown. */
export function clientOf(call: Call): Client {
  const name = textFlag(call, "client") ?? "claude";
  if (Object.hasOwn(CLIENTS, name)) return name as Client;
  throw new ConfigError([
    `--client must be one of ${
      Object.keys(CLIENTS).join(", ")
    }: it is "${name}"`,
  ]);
}
