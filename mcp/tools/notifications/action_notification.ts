/**
 * `action_notification`: reads and dismisses notices.
 *
 * @module
 */
import { assertWithin, keysWithin } from "../../../fleet/mod.ts";
import {
  dismiss,
  dismissAllRead,
  findNotification,
  markAllRead,
  markRead,
} from "../../../store/around_sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { ToolError } from "../../errors.ts";
import { fleetOf } from "../../fleet.ts";
import { receipt } from "../../markdown/document.ts";
import { md } from "../../markdown/inline.ts";
import { COUNT, inputOf, objectOf, TEXT } from "../../schema.ts";
import { defineTool, Written } from "../tool.ts";

const ACTIONS = [
  "mark_read",
  "mark_all_read",
  "dismiss",
  "dismiss_all_read",
] as const;

/** The tool. */
export const actionNotification = defineTool({
  name: "action_notification",
  title: "Read or dismiss notifications",
  access: "write",
  description:
    "mark_read and dismiss take the id of one notice; mark_all_read and dismiss_all_read act on all active ones. An unread notice is not dismissed: read it first.",
  isDestructive: true,
  isIdempotent: true,
  input: inputOf({
    action: { type: "string", enum: ACTIONS, description: "What to do" },
    id: {
      type: "integer",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "mark_read, dismiss: which notice",
    },
  }, ["action"]),
  output: objectOf({ action: TEXT, changed: COUNT }),
  async run({ connection, services }, { action, id }) {
    const fleet = fleetOf(services);
    const caller = fleetCallerOf(connection);
    const isOfOne = action === "mark_read" || action === "dismiss";
    if (isOfOne !== (id !== undefined)) {
      throw new ToolError(
        isOfOne
          ? `${action} needs the id of a notice; nothing was changed`
          : `${action} acts on all notices, so it takes no id; nothing was changed`,
      );
    }
    const db = await services.store.db();
    const rootKeys = await keysWithin(fleet, caller);
    const fence = rootKeys === undefined
      ? undefined
      : { rootKeys, sessionId: caller.sessionId };
    if (id !== undefined) {
      const found = await findNotification(db, id);
      if (found === undefined) throw unknown(id);
      await assertWithin(fleet, caller, found.session, "changing its notices");
    }
    const changed = await db.transaction(async (tx) => {
      if (action === "mark_all_read") return await markAllRead(tx, { fence });
      if (action === "dismiss_all_read") {
        return await dismissAllRead(tx, { fence });
      }
      if (id === undefined) return 0;
      if (action === "mark_read") {
        if (!await markRead(tx, id)) throw unknown(id);
        return 1;
      }
      const outcome = await dismiss(tx, id);
      if (outcome === "none") throw unknown(id);
      if (outcome === "dismissed") return 1;
      throw new ToolError(
        `Notification ${id} is unread, and only read ones are dismissed: mark_read it first; nothing was changed`,
        { reason: "conflict" },
      );
    });
    return new Written(
      receipt(md`Notifications Updated`, [
        ["Action", action],
        ["Notification ID", id],
        ["Changed", changed],
      ]).text,
      { action, changed },
    );
  },
});

function unknown(id: number): ToolError {
  return new ToolError(
    `Notification ${id} does not exist; get_notifications lists those there are. Nothing was changed`,
    { reason: "not_found" },
  );
}
