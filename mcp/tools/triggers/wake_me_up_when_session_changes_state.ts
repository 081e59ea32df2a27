/**
 * `wake_me_up_when_session_changes_state`: a session sleeps until another one
 * rests, fails or is archived.
 *
 * @module
 */
import { wakeOnSession } from "../../../fleet/mod.ts";
import { SESSION_EVENT_NAMES } from "../../../store/sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { ToolError } from "../../errors.ts";
import { fleetOf } from "../../fleet.ts";
import { inputOf } from "../../schema.ts";
import { defineTool } from "../tool.ts";
import { ARMED, armedReceipt, sleeperOf, WAKE_INPUT } from "./wake_input.ts";

/** The tool. */
export const wakeMeUpWhenSessionChangesState = defineTool({
  name: "wake_me_up_when_session_changes_state",
  title: "Wake me up when a session changes",
  access: "write",
  description:
    "Lets this session sleep until another one comes to rest (session_needs_input: it stayed there a minute, not a mere turn boundary), fails or is archived, and wakes it with your prompt. Name all events in one call: event_names. Arm wake_me_up_later beside it as a deadline, then end your turn. One that needs input already fires at once; one that failed or is archived already is refused.",
  isDestructive: false,
  isIdempotent: false,
  input: inputOf({
    watched_session_id: {
      type: "integer",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "The session to watch, not the one that sleeps",
    },
    event_names: {
      type: "array",
      items: { type: "string", enum: SESSION_EVENT_NAMES },
      description: "What wakes it: any of these",
    },
    event_name: {
      type: "string",
      enum: SESSION_EVENT_NAMES,
      description: "The same for one event; not both",
    },
    ...WAKE_INPUT,
  }, ["watched_session_id", "prompt"]),
  output: ARMED,
  async run({ connection, services }, args) {
    const { event_names: many, event_name: one } = args;
    if ((many === undefined) === (one === undefined)) {
      throw new ToolError(
        "Give event_names or event_name, exactly one of them. Nothing was created or changed",
      );
    }
    const eventNames = many ?? (one === undefined ? [] : [one]);
    const armed = await wakeOnSession(
      fleetOf(services),
      fleetCallerOf(connection),
      {
        sessionId: sleeperOf(connection, args.session_id),
        watchedSessionId: args.watched_session_id,
        eventNames,
        prompt: args.prompt,
      },
    );
    return armedReceipt(
      armed,
      `on ${
        [...new Set(eventNames)].join(", ")
      } of session ${args.watched_session_id}`,
    );
  },
});
