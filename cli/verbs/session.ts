/**
 * `session start|list|show|archive`: registers sessions and shows them.
 *
 * @module
 */
import { archiveSession, startSession } from "../../fleet/mod.ts";
import {
  findSessionByName,
  listSessions,
  type Session,
  SESSION_STATUSES,
  type SessionStatus,
} from "../../store/sessions/mod.ts";
import { describeSession, entryFor, type Services } from "../../mcp/mod.ts";
import {
  type Config,
  ConfigError,
  type Given,
  settingsOf,
} from "../settings/config.ts";
import { type EntryConfig, httpConnector } from "../entry/connector.ts";
import { sessionOverStdio } from "./connect/connect.ts";
import {
  clientOf,
  ENTRY_FLAGS,
  entryNameOf,
  handOut,
  transportOf,
} from "./connect/hand_out.ts";
import { knownGroups } from "../known.ts";
import { print, printJson, table } from "../output.ts";
import { buildParts, type Parts } from "../app/parts.ts";
import { type Call, defineVerb, textFlag } from "../verb.ts";

/** The verb. */
export const session = defineVerb({
  summary:
    "Registers a session of an agent root and prints its id, token and connection entry; lists, shows and archives sessions.",
  words: "start|list|show|archive [ID|SLUG]",
  maxWords: 2,
  flags: {
    root: { type: "string", meaning: "catalog name of the agent root" },
    title: { type: "string", meaning: "start: title, up to 100 characters" },
    slug: { type: "string", meaning: "start: name in addresses" },
    parent: {
      type: "string",
      meaning: "start: id of the session that starts it",
    },
    groups: { type: "string", meaning: "start: tool groups its token reaches" },
    ...ENTRY_FLAGS,
    transport: { type: "string", meaning: "start: http (default) or stdio" },
    status: { type: "string", meaning: "list: only this state" },
    all: { type: "boolean", meaning: "list: archived sessions, too" },
    json: { type: "boolean", meaning: "print JSON" },
  },
  settings: [
    ...settingsOf("database", "catalog", "fleet", "layout", "cortex", "log"),
    "host",
    "port",
  ],
  async run(call, config) {
    const [action, name] = call.words;
    await using parts = buildParts(config);
    const { services } = parts;
    switch (action) {
      case "start":
        return await start(call, config, parts);
      case "list":
        return await list(call, services);
      case "show":
        return show(call, await find(services, name));
      case "archive": {
        const { id } = await find(services, name);
        const archived = await archiveSession(services, id);
        if (call.flags.json === true) printJson(describeSession(archived));
        else print(`Session ${id} is archived; its token no longer works`);
        return 0;
      }
      default:
        throw new ConfigError([
          `session needs one of start, list, show, archive: it got ${
            action === undefined ? "none" : `"${action}"`
          }`,
        ]);
    }
  },
});

async function start(
  call: Call,
  config: EntryConfig & Config<"host" | "port"> & Given,
  { services, fleet }: Parts,
): Promise<number> {
  const name = textFlag(call, "root");
  if (name === undefined) {
    throw new ConfigError(["session start needs --root NAME"]);
  }
  const groups = knownGroups(textFlag(call, "groups"));
  // Refused before anything is registered.
  const transport = transportOf(call, "http");
  clientOf(call);
  entryNameOf(call);
  const { session, token } = await startSession(fleet, {
    agentRoot: name,
    title: textFlag(call, "title"),
    slug: textFlag(call, "slug"),
    parentSessionId: idOf(textFlag(call, "parent")),
    toolGroups: groups,
  });
  const connector = transport === "http"
    ? httpConnector(config, { id: session.id, token }, groups?.join(","))
    : await sessionOverStdio(config, services, session);
  if (call.flags.json === true) {
    const entry = JSON.parse(
      entryFor("claude", connector, { name: entryNameOf(call) }),
    );
    printJson({ ...describeSession(session), token, entry });
    return 0;
  }
  print(
    `Session ${session.id} of root "${session.agentRootKey}" is registered`,
  );
  print(`Token, shown only now: ${token}`);
  print();
  await handOut(call, connector);
  print();
  print(
    `For other clients: deno task connect --session ${session.id} --help`,
  );
  return 0;
}

async function list(call: Call, services: Services): Promise<number> {
  const status = textFlag(call, "status");
  if (status !== undefined && !isStatus(status)) {
    throw new ConfigError([
      `--status must be one of ${
        SESSION_STATUSES.join(", ")
      }: it is "${status}"`,
    ]);
  }
  const sessions = await listSessions(await services.store.db(), {
    status,
    includeArchived: call.flags.all === true,
    agentRootKey: textFlag(call, "root"),
    limit: 200,
  });
  if (call.flags.json === true) {
    printJson(sessions.map(describeSession));
    return 0;
  }
  if (sessions.length === 0) {
    print("No sessions; deno task session start --root NAME registers one");
    return 0;
  }
  print(table([
    ["ID", "ROOT", "STATUS", "TITLE", "CREATED"],
    ...sessions.map((one) => [
      String(one.id),
      one.agentRootKey ?? "-",
      one.status,
      one.title,
      one.createdAt.toISOString(),
    ]),
  ]));
  return 0;
}

function show(call: Call, found: Session): number {
  const rows = describeSession(found);
  if (call.flags.json === true) printJson(rows);
  else {
    print(table(
      Object.entries(rows).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    ));
  }
  return 0;
}

async function find(
  services: Services,
  name: string | undefined,
): Promise<Session> {
  if (name === undefined) {
    throw new ConfigError(["Name the session: its id or slug is missing"]);
  }
  const found = await findSessionByName(await services.store.db(), name);
  if (found !== undefined) return found;
  throw new ConfigError([`Session not found: ${name}`]);
}

function idOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const id = /^[1-9][0-9]*$/.test(text) ? Number(text) : NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new ConfigError([`--parent must be a session's id: it is "${text}"`]);
}

function isStatus(text: string): text is SessionStatus {
  return SESSION_STATUSES.some((status) => status === text);
}
