/**
 * `send_push_notification`: tells people something about a session.
 *
 * @module
 */
import { findFor } from "../../../fleet/mod.ts";
import { assertStorable } from "../../../store/pg/mod.ts";
import { insertNotice } from "../../../store/sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { ToolError } from "../../errors.ts";
import { fleetOf } from "../../fleet.ts";
import { receipt } from "../../markdown/document.ts";
import { md, preview } from "../../markdown/inline.ts";
import { COUNT, inputOf, objectOf } from "../../schema.ts";
import { SESSION_NAME_INPUT } from "../sessions/session_input.ts";
import { defineTool, Written } from "../tool.ts";

const MAX_CHARACTERS = 10_000;

/** The tool. */
export const sendPushNotification = defineTool({
  name: "send_push_notification",
  title: "Send a push notification",
  access: "write",
  description:
    "Tells people something about a session: that it is stuck, that it needs a decision, that something is done. It becomes a notice that get_notifications shows, and is pushed where a person registered for pushes. With a session's token only of that session. Use it sparingly: every call makes one.",
  isDestructive: false,
  isIdempotent: false,
  input: inputOf({
    session_id: SESSION_NAME_INPUT,
    message: {
      type: "string",
      maxLength: MAX_CHARACTERS,
      description: "What to say; not blank",
    },
  }, ["session_id", "message"]),
  output: objectOf({ session_id: COUNT, notification_id: COUNT }),
  async run({ connection, services }, args) {
    const { message } = args;
    if (message.trim() === "") {
      throw new ToolError("The message is blank; nothing was sent");
    }
    assertStorable(message, "the message");
    const caller = fleetCallerOf(connection);
    const session = await findFor(fleetOf(services), caller, {
      name: args.session_id,
      act: "sending a notice of it",
    });
    if (caller.isConfined && session.id !== caller.sessionId) {
      throw new ToolError(
        `This token speaks for session ${caller.sessionId} only, and session_id names ${session.id}; nothing was sent`,
      );
    }
    const db = await services.store.db();
    const id = await db.transaction((tx) =>
      insertNotice(tx, { sessionId: session.id, type: "message", message })
    );
    if (id === undefined) {
      throw new Error("A notice without a mark was refused");
    }
    return new Written(
      receipt(md`Notification Queued`, [
        ["Session ID", session.id],
        ["Title", session.title],
        ["Notification ID", id],
        ["Message", preview(message, 200)],
      ]).text,
      { session_id: session.id, notification_id: id },
    );
  },
});
