/**
 * Routes of questions that agents ask: ask, read, answer.
 *
 * An agent's own token asks and reads for its session; answering is for others.
 *
 * @module
 */
import {
  ask,
  assertReach,
  findFor,
  findQuestion,
  respond,
} from "../../../fleet/mod.ts";
import {
  type Elicitation,
  listElicitations,
} from "../../../store/around_sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { fleetOf } from "../../fleet.ts";
import { isoTime } from "../../render.ts";
import {
  COUNT,
  FLAG,
  FREE,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
  wordOf,
} from "../../schema.ts";
import { ANSWER_INPUTS } from "../../tools/sessions/respond_to_elicitation.ts";
import { PAGE_INPUT, pageOf } from "../paging.ts";
import { defineRoute, type RestRoute } from "../route.ts";

const STATUSES = [
  "pending",
  "accept",
  "decline",
  "cancel",
  "expired",
] as const;

/** A question. */
export const ELICITATION = objectOf({
  id: COUNT,
  request_id: TEXT,
  session_id: COUNT,
  mode: wordOf(["form", "url"]),
  message: TEXT,
  requested_schema: FREE,
  context: orNull(TEXT),
  tool_name: orNull(TEXT),
  meta: FREE,
  status: wordOf(STATUSES),
  content: orNull(FREE),
  created_at: TIME,
  expires_at: TIME,
  responded_at: orNull(TIME),
});

const REQUEST_INPUT = {
  type: "string",
  description: "The question's request_id, or its number",
} as const;
const SESSION_INPUT = {
  type: "string",
  description: "The session's id or slug",
} as const;

/** The routes. */
export const ELICITATION_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "POST",
    path: "/sessions/{session}/elicitations",
    operationId: "ask",
    summary:
      "Asks people a question in the name of a session under way, which rests until it is answered; asking again with the same request_id asks nothing new",
    isForSessions: true,
    input: inputOf({
      session: SESSION_INPUT,
      message: {
        type: "string",
        description: "What is asked, 50,000 characters at most",
      },
      request_id: {
        type: "string",
        description: "Its public name; a random UUID by default",
      },
      mode: {
        type: "string",
        enum: ["form", "url"],
        description: "form (default), or url: at an address in the message",
      },
      requested_schema: {
        type: "object",
        description: "JSON Schema of the answer, an object; 64 KB at most",
      },
      context: {
        type: "string",
        description: "What people should know before they answer",
      },
      tool_name: { type: "string", description: "The tool that asks" },
      meta: {
        type: "object",
        description: "Data of your own, 32 KB at most",
      },
      expires_in_seconds: {
        type: "integer",
        description:
          "How long it is open, up to 7 days; ELICITATION_MINUTES by default",
      },
    }, ["session", "message"]),
    status: 201,
    output: objectOf({ elicitation: ELICITATION, is_replay: FLAG }),
    async run({ services, connection }, args) {
      const fleet = fleetOf(services);
      const caller = fleetCallerOf(connection);
      const { id } = await findFor(fleet, caller, {
        name: args.session,
        act: "asking in its name",
      });
      const { elicitation, isReplay } = await ask(fleet, caller, id, {
        message: args.message,
        requestId: args.request_id,
        mode: args.mode,
        requestedSchema: args.requested_schema,
        context: args.context,
        toolName: args.tool_name,
        meta: args.meta,
        expiresInSeconds: args.expires_in_seconds,
      });
      return { elicitation: shapeOf(elicitation), is_replay: isReplay };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/elicitations",
    operationId: "list_elicitations",
    summary: "Questions that agents asked, newest first",
    input: inputOf({
      session: SESSION_INPUT,
      elicitation_status: {
        type: "string",
        enum: STATUSES,
        description: "Only those in this state",
      },
      ...PAGE_INPUT,
    }),
    output: objectOf({ elicitations: listOf(ELICITATION) }),
    async run({ services, connection }, args) {
      const session = args.session === undefined
        ? undefined
        : await findFor(fleetOf(services), fleetCallerOf(connection), {
          name: args.session,
          act: "reading its questions",
        });
      const found = await listElicitations(await services.store.db(), {
        sessionId: session?.id,
        status: args.elicitation_status,
      }, pageOf(args));
      return { elicitations: found.map(shapeOf) };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/elicitations/{request_id}",
    operationId: "get_elicitation",
    summary: "One question, and its answer once there is one",
    isForSessions: true,
    input: inputOf({ request_id: REQUEST_INPUT }, ["request_id"]),
    output: objectOf({ elicitation: ELICITATION }),
    async run({ services, connection }, { request_id: name }) {
      const found = await findQuestion(services, name);
      const db = await services.store.db();
      await assertReach(db, fleetCallerOf(connection), found.sessionId);
      return { elicitation: shapeOf(found) };
    },
  }),
  defineRoute({
    method: "POST",
    path: "/elicitations/{request_id}/respond",
    operationId: "respond_to_elicitation",
    summary:
      "Answers an open question; its turn goes on once no other one is open",
    input: inputOf({
      request_id: REQUEST_INPUT,
      ...ANSWER_INPUTS,
    }, ["request_id", "action_type"]),
    output: objectOf({ elicitation: ELICITATION }),
    async run({ services, connection }, args) {
      const { elicitation } = await respond(
        fleetOf(services),
        fleetCallerOf(connection),
        args.request_id,
        { action: args.action_type, content: args.content },
      );
      return { elicitation: shapeOf(elicitation) };
    },
  }),
];

function shapeOf(one: Elicitation): ValueOf<typeof ELICITATION> {
  return {
    id: one.id,
    request_id: one.requestId,
    session_id: one.sessionId,
    mode: one.mode,
    message: one.message,
    requested_schema: one.requestedSchema,
    context: one.context,
    tool_name: one.toolName,
    meta: one.meta,
    status: one.status,
    content: one.content,
    created_at: isoTime(one.createdAt),
    expires_at: isoTime(one.expiresAt),
    responded_at: isoTime(one.respondedAt),
  };
}
