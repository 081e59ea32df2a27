/**
 * `connect`: prints the entry that a client needs.
 *
 * @module
 */
import type { Connector, Services } from "../../../mcp/mod.ts";
import { type Fleet, knownRoot, startSession } from "../../../fleet/mod.ts";
import {
  findSessionByName,
  type Session,
} from "../../../store/sessions/mod.ts";
import {
  type Config,
  ConfigError,
  type Given,
  settingsOf,
} from "../../settings/config.ts";
import { apiKeysOf } from "../../app/api_key.ts";
import {
  type EntryConfig,
  httpConnector,
  stdioConnector,
} from "../../entry/connector.ts";
import { printError } from "../../output.ts";
import { buildParts } from "../../app/parts.ts";
import { knownGroups } from "../../known.ts";
import { defineVerb, textFlag } from "../../verb.ts";
import { checkEntry } from "./check_entry.ts";
import {
  clientOf,
  ENTRY_FLAGS,
  entryNameOf,
  entryPathOf,
  handOut,
  transportOf,
} from "./hand_out.ts";

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
    root: {
      type: "string",
      meaning:
        "catalog name of the agent root; without a catalog default: the built-in root",
    },
    session: { type: "string", meaning: "id or slug of a session" },
    ...ENTRY_FLAGS,
    groups: { type: "string", meaning: "tool groups, a comma list" },
    check: {
      type: "boolean",
      meaning:
        "start the server as the client would, and say how long it took; registers a session where the entry does",
    },
  },
  settings: [
    ...settingsOf("database", "catalog", "fleet", "layout", "cortex", "log"),
    ...HTTP_SETTINGS,
  ],
  async run(call, config) {
    const transport = transportOf(call, "stdio");
    clientOf(call);
    entryNameOf(call);
    entryPathOf(call);
    const root = textFlag(call, "root");
    const name = textFlag(call, "session");
    const groups = knownGroups(textFlag(call, "groups"));
    if (root !== undefined && name !== undefined) {
      throw new ConfigError([
        "connect takes --root NAME or --session ID, not both",
      ]);
    }
    await using parts = buildParts(config);
    const { services, fleet } = parts;
    const way = { config, services, fleet, transport, groups };
    const connector = name === undefined
      ? await reachRoot(way, root ?? await defaultRoot(services))
      : await reachSession(way, name);
    await handOut(call, connector);
    if (connector.kind === "http") {
      const { origin } = new URL(connector.url);
      printError(
        `It needs the server at ${origin} to run: deno task start, or serve`,
      );
    }
    return call.flags.check === true ? await checkEntry(connector) : 0;
  },
});

/** The root of whoever names none. @throws {ConfigError} There is none. */
async function defaultRoot({ catalog }: Services): Promise<string> {
  const { defaultRoot, roots, source } = await catalog.current();
  if (defaultRoot === undefined) {
    const names = [...roots.keys()].slice(0, 20).join(", ");
    throw new ConfigError([
      `connect needs --root NAME or --session ID; ${source} has the roots: ${
        names || "none"
      }`,
    ]);
  }
  printError(
    `There is no catalog, so this is for the built-in root "${defaultRoot.name}": ${defaultRoot.description} CATALOG names your own`,
  );
  return defaultRoot.name;
}

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
    return await stdioConnector(config, catalog, words);
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
  return await stdioConnector(config, await services.catalog.current(), words);
}

function groupWords(groups: readonly string[] | undefined): readonly string[] {
  return groups === undefined ? [] : ["--groups", groups.join(",")];
}
