/**
 * `session`: registers sessions, shows them, and steers them from a terminal.
 *
 * @module
 */
import {
  archiveSession,
  type Fleet,
  startSession,
} from "../../../fleet/mod.ts";
import {
  findSessionByName,
  type Session,
} from "../../../store/sessions/mod.ts";
import { describeSession, entryFor, type Services } from "../../../mcp/mod.ts";
import {
  type Config,
  ConfigError,
  type Given,
  settingsOf,
} from "../../settings/config.ts";
import { type EntryConfig, httpConnector } from "../../entry/connector.ts";
import { sessionOverStdio } from "../connect/connect.ts";
import {
  clientOf,
  ENTRY_FLAGS,
  entryNameOf,
  handOut,
  transportOf,
} from "../connect/hand_out.ts";
import { knownGroups } from "../../known.ts";
import { print, printJson } from "../../output.ts";
import { buildParts, type Parts } from "../../app/parts.ts";
import { type Call, defineVerb, textFlag } from "../../verb.ts";
import { log } from "./log.ts";
import { listOnTerminal, showOnTerminal } from "./look.ts";
import { stop, tell } from "./steer.ts";

/** The verb. */
export const session = defineVerb({
  summary:
    "Registers a session of an agent root and prints its id, token and connection entry, or starts one with --prompt; lists and shows sessions, tells them something, stops their turn, shows what they say, archives them.",
  words: 'start|list|show|tell|stop|log|archive [ID|SLUG] ["…"]',
  maxWords: 3,
  flags: {
    root: { type: "string", meaning: "catalog name of the agent root" },
    title: { type: "string", meaning: "start: title, up to 100 characters" },
    slug: { type: "string", meaning: "start: name in addresses" },
    parent: {
      type: "string",
      meaning: "start: id of the session that starts it",
    },
    groups: { type: "string", meaning: "start: tool groups its token reaches" },
    prompt: {
      type: "string",
      meaning: "start: what it is to do; a runner carries it out then",
    },
    runtime: {
      type: "string",
      meaning: "start with --prompt: the agent that runs it; the root's else",
    },
    ...ENTRY_FLAGS,
    transport: { type: "string", meaning: "start: http (default) or stdio" },
    status: { type: "string", meaning: "list: only this state" },
    all: { type: "boolean", meaning: "list: archived sessions, too" },
    now: {
      type: "boolean",
      meaning: "tell: end the turn under way for it",
    },
    follow: { type: "boolean", meaning: "log: go on with what comes" },
    last: {
      type: "string",
      meaning: "log: how many of the newest events, 0 to 1000; 100 by default",
    },
    force: {
      type: "boolean",
      meaning: "archive: also over messages that wait and a turn under way",
    },
    json: { type: "boolean", meaning: "print JSON" },
  },
  settings: [
    ...settingsOf("database", "catalog", "fleet", "layout", "cortex", "log"),
    "host",
    "port",
  ],
  async run(call, config) {
    const [action, name, text] = call.words;
    if (text !== undefined && action !== "tell") {
      throw new ConfigError([`session ${action} takes no word "${text}"`]);
    }
    await using parts = buildParts(config);
    const { services, fleet } = parts;
    switch (action) {
      case "start":
        return await start(call, config, parts);
      case "list":
        return await listOnTerminal(call, services);
      case "show":
        return await showOnTerminal(call, services, await find(services, name));
      case "tell":
        return await tell(call, fleet, await find(services, name), text);
      case "stop":
        return await stop(call, fleet, await find(services, name));
      case "log":
        return await log(call, services, await find(services, name));
      case "archive": {
        const { id } = await find(services, name);
        const archived = await archiveSession(services, id, {
          isForced: call.flags.force === true,
        });
        if (call.flags.json === true) printJson(describeSession(archived));
        else print(`Session ${id} is archived; its token no longer works`);
        return 0;
      }
      default:
        throw new ConfigError([
          `session needs one of start, list, show, tell, stop, log, archive: it got ${
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
  const prompt = textFlag(call, "prompt");
  if (prompt !== undefined) return await begin(call, fleet, name, prompt);
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

/** Starts a session that a runner carries out. */
async function begin(
  call: Call,
  fleet: Fleet,
  agentRoot: string,
  prompt: string,
): Promise<number> {
  const { session, turn, warnings } = await startSession(fleet, {
    agentRoot,
    prompt,
    title: textFlag(call, "title"),
    slug: textFlag(call, "slug"),
    parentSessionId: idOf(textFlag(call, "parent")),
    toolGroups: knownGroups(textFlag(call, "groups")),
    agentRuntime: textFlag(call, "runtime"),
    drivenBy: "runner",
    withToken: false,
  });
  if (call.flags.json === true) {
    printJson({ ...describeSession(session), warnings });
    return 0;
  }
  print(
    `Session ${session.id} of root "${session.agentRootKey}" is started${
      turn === undefined ? "" : `: queued as turn ${turn.ordinal}`
    }`,
  );
  for (const warning of warnings) print(`Warning: ${warning}`);
  print(`deno task session log ${session.id} --follow shows what it says`);
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
