/**
 * `respond_to_elicitation`: answers a question that an agent asked.
 *
 * @module
 */
import { respond, RESPONSE_ACTIONS } from "../../../fleet/mod.ts";
import { SESSION_STATUSES } from "../../../store/sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { fleetOf } from "../../fleet.ts";
import { preview } from "../../markdown/inline.ts";
import { COUNT, inputOf, objectOf, TEXT, wordOf } from "../../schema.ts";
import { defineTool, Written } from "../tool.ts";
import { sessionReceipt } from "./receipt.ts";

/** An answer, as every surface takes it. */
export const ANSWER_INPUTS = {
  action_type: {
    type: "string",
    enum: RESPONSE_ACTIONS,
    description: "What is said to it",
  },
  content: {
    type: "object",
    description: "accept: the fields of the form; ignored otherwise",
  },
} as const;

/** The tool. */
export const respondToElicitation = defineTool({
  name: "respond_to_elicitation",
  title: "Answer an agent's question",
  access: "write",
  description:
    "Answers an open question of a session's agent; get_session names them with their request_id under Asks. accept gives content, the fields of its form; decline says no; cancel calls it off unanswered. The turn goes on once no question of the session is open. Refused: a question that is resolved already, its state is named; one whose time is over; a session's answer to its own question; content that does not fit the form.",
  isDestructive: false,
  isIdempotent: false,
  input: inputOf({
    request_id: {
      type: "string",
      maxLength: 200,
      description: "The question's request_id, or its number",
    },
    ...ANSWER_INPUTS,
  }, ["request_id", "action_type"]),
  output: objectOf({
    elicitation_id: COUNT,
    request_id: TEXT,
    result: wordOf(RESPONSE_ACTIONS),
    session_id: COUNT,
    status: wordOf(SESSION_STATUSES),
  }),
  async run({ connection, services }, args) {
    const { elicitation, session } = await respond(
      fleetOf(services),
      fleetCallerOf(connection),
      args.request_id,
      { action: args.action_type, content: args.content },
    );
    const { requestId, message } = elicitation;
    const goesOn = session.status === "running";
    return new Written(
      sessionReceipt("Question Answered", session, [
        ["Request ID", requestId],
        ["Question", preview(message, 200)],
        ["Answer", args.action_type],
        [
          "What happens next",
          goesOn
            ? "the agent hears it and goes on with its turn"
            : session.pausedBy === "elicitation"
            ? "its turn waits: another question of it is open"
            : "whoever asked reads it; no turn of this session waited for it",
        ],
      ]).text,
      {
        elicitation_id: elicitation.id,
        request_id: requestId,
        result: args.action_type,
        session_id: session.id,
        status: session.status,
      },
    );
  },
});
