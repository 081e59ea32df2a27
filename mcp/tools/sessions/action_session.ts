/**
 * `action_session`: steers and changes a session.
 *
 * @module
 */
import { archiveSession, refreshAll } from "../../../fleet/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { kindOf, ToolError } from "../../errors.ts";
import { fleetOf } from "../../fleet.ts";
import { Markdown } from "../../markdown/document.ts";
import { md } from "../../markdown/inline.ts";
import { cutText } from "../../render.ts";
import { inputOf } from "../../schema.ts";
import type { ToolContext } from "../../services.ts";
import { defineTool, Written } from "../tool.ts";
import { ACTION_INPUT } from "./action_input.ts";
import type { ActionArgs } from "./action_call.ts";
import { ACTION_NAMES, ACTIONS } from "./actions.ts";
import { DONE, type Done, findTarget } from "./receipt.ts";

const MAX_BULK = 100;
const ALL = [...ACTION_NAMES, "refresh_all", "bulk_archive"] as const;

/** The tool. */
export const actionSession = defineTool({
  name: "action_session",
  title: "Act on a session",
  access: "write",
  description:
    "Steers and changes a session. follow_up says something: at once where it rests, else behind what waits; force_immediate ends the turn under way for it, which loses that turn's uncommitted tool call. pause ends a turn and holds the queue. pause_into_spot_queue parks it until there is room; start_now takes it up again. restart goes on after a failure. archive is refused over messages that wait and over another's turn, unless force: true. change_… replaces what it is given from its next turn on; [] means none, on purpose. set_visibility touches only its card. A follow_up leaves its wakes armed; restart and archive end them.",
  isDestructive: true,
  isIdempotent: false,
  input: inputOf({
    action: { type: "string", enum: ALL, description: "What to do" },
    ...ACTION_INPUT.properties,
  }, ["action"]),
  output: DONE,
  async run(context, { action, ...args }) {
    if (action === "refresh_all") return await refreshEvery(context);
    if (action === "bulk_archive") return await archiveMany(context, args);
    if (args.session_id === undefined) {
      throw new ToolError(
        `${action} needs session_id, the id or slug of a session. Nothing was changed`,
      );
    }
    return await ACTIONS[action]({
      fleet: fleetOf(context.services),
      caller: fleetCallerOf(context.connection),
      session: await findTarget(context.services, args.session_id),
      args,
      signal: context.signal,
    });
  },
});

async function refreshEvery(
  { services, connection }: ToolContext,
): Promise<Written<Done>> {
  const { restarted, continued, skipped } = await refreshAll(
    fleetOf(services),
    fleetCallerOf(connection),
  );
  const text = new Markdown().heading(2, md`All Refreshed`)
    .field("Restarted", restarted.join(", ") || "none")
    .field("Continued", continued.join(", ") || "none");
  for (const { id, why } of skipped) {
    text.field("Skipped", `session ${id}: ${cutText(why, 200)}`);
  }
  return new Written(text.text, {
    action: "refresh_all",
    restarted,
    continued,
    refused: skipped.map(({ id, why }) => ({
      session_id: String(id),
      reason: cutText(why, 200),
    })),
  });
}

/** Each on its own: one that is refused leaves the others archived. */
async function archiveMany(
  { services, connection }: ToolContext,
  args: ActionArgs,
): Promise<Written<Done>> {
  const names = [...new Set(args.session_ids ?? [])];
  if (names.length === 0 || names.length > MAX_BULK) {
    throw new ToolError(
      `bulk_archive needs session_ids: 1 to ${MAX_BULK} ids or slugs. Nothing was changed`,
    );
  }
  const archived: number[] = [];
  const refused: { session_id: string; reason: string }[] = [];
  for (const name of names) {
    try {
      const { id } = await findTarget(services, name);
      await archiveSession(fleetOf(services), id, {
        isForced: args.force === true,
        actingSessionId: args.acting_session_id,
      }, fleetCallerOf(connection));
      archived.push(id);
    } catch (error) {
      if (kindOf(error).outcome !== "refused" || !(error instanceof Error)) {
        throw error;
      }
      refused.push({
        session_id: cutText(name, 100),
        reason: cutText(error.message, 300),
      });
    }
  }
  const text = new Markdown().heading(2, md`Sessions Archived`)
    .field("Archived", archived.join(", ") || "none");
  if (args.force === true) {
    text.field("Force", "applied to all of them: what waited was retired");
  }
  for (const { session_id, reason } of refused) {
    text.field("Refused", `${session_id}: ${reason}`);
  }
  return new Written(text.text, { action: "bulk_archive", archived, refused });
}
