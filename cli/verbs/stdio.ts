/**
 * `stdio`: MCP over stdin and stdout, for one client.
 *
 * Nothing but JSON-RPC may reach stdout. The database opens and the session is
 * registered on first use, so that a client that only looks at the tools, or
 * starts a second process to probe, leaves nothing behind.
 *
 * @module
 */
import {
  type Connection,
  DEFAULT_SESSION_GROUPS,
  parseConnection,
  runStdio,
  type Services,
} from "../../mcp/mod.ts";
import { startSession } from "../../fleet/mod.ts";
import { findSession } from "../../store/sessions/mod.ts";
import { ConfigError, settingsOf } from "../settings/config.ts";
import { once } from "../app/once.ts";
import { buildParts, type Parts } from "../app/parts.ts";
import { awaitStop } from "../app/shutdown.ts";
import { openStdioStreams } from "../app/stdio_streams.ts";
import { logUncaught } from "../app/uncaught.ts";
import { type Call, defineVerb, textFlag } from "../verb.ts";

/** The verb. */
export const stdio = defineVerb({
  summary: "Speaks MCP over stdin and stdout.",
  flags: {
    root: {
      type: "string",
      meaning:
        "agent root; a new session of it is registered for this process; without a catalog default: the built-in root",
    },
    session: { type: "string", meaning: "id of the session to continue" },
    groups: {
      type: "string",
      meaning:
        "tool groups; default: those of a session where it acts for one, else the base groups",
    },
    "allowed-roots": { type: "string", meaning: "agent roots it may act on" },
  },
  settings: settingsOf(
    "database",
    "catalog",
    "fleet",
    "refresh",
    "layout",
    "cortex",
    "log",
  ),
  async run(call, config) {
    using stop = awaitStop();
    await using parts = buildParts(config);
    const { services } = parts;
    using _uncaught = logUncaught(services.log);
    const connection = connectionOf(call, parts, await rootOf(call, parts));
    const ended = runStdio(
      services,
      connection,
      openStdioStreams(() => services.store.pool?.() !== undefined),
    );
    await Promise.race([ended, stop.received]);
    return 0;
  },
});

/**
 * The agent root that the process acts for, if any: the one that is named, or
 * without a catalog the built-in one.
 */
async function rootOf(
  call: Call,
  { services, log }: Parts,
): Promise<string | undefined> {
  const root = textFlag(call, "root");
  const session = textFlag(call, "session");
  if (root !== undefined && root.trim() === "") {
    throw new ConfigError(["--root is blank; name an agent root"]);
  }
  if (root !== undefined && session !== undefined) {
    throw new ConfigError(["Name --root or --session, not both"]);
  }
  if (root !== undefined || session !== undefined) return root;
  if (!await services.catalog.isBuiltIn()) return undefined;
  const { defaultRoot } = await services.catalog.current();
  if (defaultRoot !== undefined) {
    log.info("default_root", { root: defaultRoot.name });
  }
  return defaultRoot?.name;
}

function connectionOf(
  call: Call,
  parts: Parts,
  root: string | undefined,
): Connection {
  const session = textFlag(call, "session");
  const isSession = root !== undefined || session !== undefined;
  const groups = textFlag(call, "groups") ??
    (isSession ? DEFAULT_SESSION_GROUPS.join(",") : "");
  const connection = parseConnection(
    new URLSearchParams({
      tool_groups: groups,
      allowed_agent_roots: textFlag(call, "allowed-roots") ?? "",
      session_id: session ?? "",
    }),
  );
  if (session !== undefined && connection.sessionId === null) {
    throw new ConfigError([
      `--session must be a session's id: it is "${session.slice(0, 40)}"`,
    ]);
  }
  const { sessionId } = connection;
  return {
    ...connection,
    isProven: true, // Whoever starts this process is trusted to say who it is.
    ...(root === undefined
      ? {}
      : { startSession: once(() => register(parts, root)) }),
    ...(sessionId === null || textFlag(call, "groups") !== undefined
      ? {}
      : { readConfinement: once(() => groupsOf(parts.services, sessionId)) }),
  };
}

/** The groups that a session was registered with; undefined for the usual. */
async function groupsOf(
  services: Services,
  sessionId: number,
): Promise<readonly string[] | undefined> {
  const session = await findSession(await services.store.db(), sessionId);
  return session?.toolGroups ?? undefined;
}

/** Registers the session; a root that is not there yet is looked for again. */
async function register({ fleet, log }: Parts, root: string): Promise<number> {
  const { session } = await startSession(fleet, {
    agentRoot: root,
    withToken: false,
  });
  log.info("session_started", { session: session.id, root });
  return session.id;
}
