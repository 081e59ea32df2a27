/**
 * `action_session` as a session has it of itself: a few actions, and the one
 * with which it reports to whoever started it.
 *
 * The action is narrowed, not the target: only a report has to be one's own.
 *
 * @module
 */
import { messageParent } from "../../../fleet/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { ToolError } from "../../errors.ts";
import { fleetOf } from "../../fleet.ts";
import { inputOf } from "../../schema.ts";
import { SELF_ACTION_INPUT } from "../sessions/action_input.ts";
import { needed } from "../sessions/action_call.ts";
import { ACTIONS } from "../sessions/actions.ts";
import {
  deliveryFacts,
  deliveryFields,
  DONE,
  findTarget,
  sessionReceipt,
} from "../sessions/receipt.ts";
import { defineTool, Written } from "../tool.ts";

const SELF_ACTIONS = [
  "update_notes",
  "update_title",
  "set_heartbeat",
  "pause_into_spot_queue",
  "message_parent",
  "archive",
] as const;

/** The tool, narrowed. */
export const selfActionSession = defineTool({
  name: "action_session",
  title: "Act on this session",
  access: "write",
  description:
    "What a session does with itself; session_id is its own id. archive when your work is done: it is refused while messages wait for you. pause_into_spot_queue parks you until there is room: end your turn after it. message_parent tells whoever started you what you cannot do: wrong_scope (another agent root's work), missing_tools (a server, login or right you were not given) or other; a parent at work reads it after its turn. update_notes keeps what people should know of you.",
  isDestructive: true,
  isIdempotent: false,
  input: inputOf({
    action: { type: "string", enum: SELF_ACTIONS, description: "What to do" },
    ...SELF_ACTION_INPUT.properties,
  }, ["action"]),
  refused: {
    halt:
      '"halt" is not for a session itself: its turn ends when it ends it, and it is parked then',
  },
  output: DONE,
  async run({ connection, services }, { action, ...args }) {
    if (args.session_id === undefined) {
      throw new ToolError(
        `${action} needs session_id: this session's own id. Nothing was changed`,
      );
    }
    const fleet = fleetOf(services);
    const caller = fleetCallerOf(connection);
    const session = await findTarget(services, args.session_id);
    if (action !== "message_parent") {
      return await ACTIONS[action]({ fleet, caller, session, args });
    }
    const delivery = await messageParent(fleet, caller, session.id, {
      message: needed(args.message, "message", action),
      reason: needed(args.reason, "reason", action),
      isForced: args.force_immediate,
      unarchivesParent: args.unarchive_parent,
    });
    return new Written(
      sessionReceipt(
        "Parent Told",
        delivery.session,
        deliveryFields(delivery),
      ).text,
      deliveryFacts(action, delivery),
    );
  },
});
