/**
 * Routes of sessions: register, list, show, archive, and the entry that a
 * client needs to connect as one.
 *
 * @module
 */
import { archiveSession, groupsOfList, startSession } from "../../fleet/mod.ts";
import {
  countSessions,
  findSessionByName,
  listSessions,
  type Session,
  SESSION_STATUSES,
} from "../../store/sessions/mod.ts";
import type { Db } from "../../store/pg/mod.ts";
import { type Client, CLIENT_NAMES, formOf } from "../entries/clients.ts";
import { type HttpConnector, sessionConnector } from "../entries/connector.ts";
import { entryFor } from "../entries/entry_text.ts";
import { ToolError } from "../errors.ts";
import { GROUP_NAMES } from "../tools/groups.ts";
import { fleetOf } from "../fleet.ts";
import { cutText } from "../render.ts";
import { SESSION, sessionShape } from "../session_shape.ts";
import {
  COUNT,
  FREE,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
  type ValueOf,
  wordOf,
} from "../schema.ts";
import { PAGE_INPUT, pageOf, PAGINATION, paginationOf } from "./paging.ts";
import { defineRoute, type RestRoute } from "./route.ts";

const SESSION_INPUT = {
  type: "string",
  description: "The session's id or slug",
} as const;
const CLIENT_INPUT = {
  type: "string",
  enum: CLIENT_NAMES,
  description: "Whose configuration; claude by default",
} as const;

/** The entry of a client's configuration. */
export const CONNECTION_ENTRY = objectOf({
  client: TEXT,
  format: wordOf(["json", "toml", "yaml"]),
  text: { ...TEXT, description: "Ready to be pasted" },
  entry: orNull({
    ...FREE,
    description: "The same parsed, where it is JSON",
  }),
});

/** The routes. */
export const SESSION_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "GET",
    path: "/sessions",
    operationId: "list_sessions",
    summary: "Sessions, newest first; archived ones only when asked for",
    input: inputOf({
      status: {
        type: "string",
        enum: SESSION_STATUSES,
        description: "Only this state",
      },
      agent_root: { type: "string", description: "Only sessions of this root" },
      include_archived: {
        type: "boolean",
        description: "Archived ones, too; false by default",
      },
      ...PAGE_INPUT,
    }),
    output: objectOf({
      sessions: listOf(SESSION),
      pagination: PAGINATION,
    }),
    async run({ services }, args) {
      const page = pageOf(args);
      const filter = {
        status: args.status,
        agentRootKey: args.agent_root,
        includeArchived: args.include_archived === true,
      };
      const db = await services.store.db();
      const [sessions, total] = await Promise.all([
        listSessions(db, { ...filter, ...page }),
        countSessions(db, filter),
      ]);
      return {
        sessions: sessions.map(sessionShape),
        pagination: paginationOf(page, total),
      };
    },
  }),
  defineRoute({
    method: "POST",
    path: "/sessions",
    operationId: "start_session",
    summary:
      "Registers a session of an agent root; answers with its token, which is shown only here, and a ready entry",
    input: inputOf({
      agent_root: {
        type: "string",
        description: "Agent root, as /catalog/roots shows it",
      },
      title: { type: "string", description: "1 to 100 characters" },
      slug: {
        type: "string",
        description: "Name in addresses: lowercase letters, digits and -",
      },
      parent_session_id: {
        type: "integer",
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "The session that starts it",
      },
      tool_groups: {
        type: "array",
        items: { type: "string", enum: GROUP_NAMES },
        minItems: 1,
        description: "Tool groups that its token reaches",
      },
      custom_metadata: {
        type: "object",
        description: "Data of your own, 32 KB at most",
      },
      client: CLIENT_INPUT,
    }, ["agent_root"]),
    status: 201,
    output: objectOf({ session: SESSION, connection: CONNECTION_ENTRY }, {
      token: TEXT,
    }),
    async run({ services, origin, key }, args) {
      const { session, token } = await startSession(fleetOf(services), {
        agentRoot: args.agent_root,
        title: args.title,
        slug: args.slug,
        parentSessionId: args.parent_session_id,
        toolGroups: args.tool_groups,
        customMetadata: args.custom_metadata,
      });
      const connector = sessionConnector(origin, { id: session.id, token }, {
        groups: session.toolGroups?.join(","),
        key,
      });
      return {
        session: sessionShape(session),
        token,
        connection: entryShape(connector, args.client),
      };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/sessions/{session}",
    operationId: "get_session",
    summary: "One session",
    input: inputOf({ session: SESSION_INPUT }, ["session"]),
    output: objectOf({ session: SESSION }),
    run: async ({ services }, args) => ({
      session: sessionShape(
        await find(await services.store.db(), args.session),
      ),
    }),
  }),
  defineRoute({
    method: "POST",
    path: "/sessions/{session}/archive",
    operationId: "archive_session",
    summary:
      "Archives a session and ends its token; archiving twice changes nothing",
    input: inputOf({ session: SESSION_INPUT }, ["session"]),
    output: objectOf({ session: SESSION }),
    async run({ services }, args) {
      const { id } = await find(await services.store.db(), args.session);
      return { session: sessionShape(await archiveSession(services, id)) };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/sessions/{session}/connection",
    operationId: "get_session_connection",
    summary:
      "The entry of a client's configuration for this session, with the API key that asks: a token is shown only when its session is registered",
    input: inputOf({
      session: SESSION_INPUT,
      client: CLIENT_INPUT,
      tool_groups: {
        type: "string",
        description:
          "A comma list; default: the groups of the session, else root_data",
      },
    }, ["session"]),
    output: objectOf({
      session_id: COUNT,
      connection: CONNECTION_ENTRY,
    }),
    async run({ services, origin, key }, args) {
      const session = await find(await services.store.db(), args.session);
      if (session.status === "archived") {
        throw new ToolError(
          `Session ${session.id} is archived; register another one`,
          { reason: "conflict" },
        );
      }
      if (services.requireSessionToken) {
        throw new ToolError(
          `This server opens root data only to session tokens, and that of session ${session.id} was shown when it was registered: use that one, or register another session`,
          { reason: "conflict" },
        );
      }
      const groups = args.tool_groups === undefined
        ? session.toolGroups ?? undefined
        : groupsOfList(args.tool_groups, {
          known: GROUP_NAMES,
          what: "tool_groups",
        });
      const connector = sessionConnector(origin, { id: session.id }, {
        groups: groups?.join(","),
        key,
      });
      return {
        session_id: session.id,
        connection: entryShape(connector, args.client),
      };
    },
  }),
];

async function find(db: Db, name: string): Promise<Session> {
  const session = await findSessionByName(db, name);
  if (session !== undefined) return session;
  throw new ToolError(`Session not found: ${cutText(name, 100)}`, {
    reason: "not_found",
  });
}

function entryShape(
  connector: HttpConnector,
  client: Client = "claude",
): ValueOf<typeof CONNECTION_ENTRY> {
  const text = entryFor(client, connector);
  const { format } = formOf(client);
  return {
    client,
    format,
    text,
    entry: format === "json" ? JSON.parse(text) : null,
  };
}
