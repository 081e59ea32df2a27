/**
 * The actions of `action_session` on one session: each calls one rule of the
 * fleet and writes its receipt.
 *
 * @module
 */
import {
  archiveSession,
  followUp,
  forkSession,
  parkSession,
  pauseAndWait,
  refreshSession,
  regenerateSummary,
  removeUncle,
  restartSession,
  setHeartbeat,
  setVisibility,
  startNow,
  toggleFavorite,
  togglePush,
  unarchiveSession,
  updateNotes,
  updateTitle,
} from "../../../fleet/mod.ts";
import { isoTime } from "../../render.ts";
import { Written } from "../tool.ts";
import { type ActionRun, done, needed } from "./action_call.ts";
import { CHANGE_ACTIONS } from "./change_actions.ts";
import {
  deliveryFacts,
  deliveryFields,
  sessionReceipt,
  turnOf,
} from "./receipt.ts";

/** The actions on one session. */
export const ACTIONS = {
  async follow_up({ fleet, caller, session, args }) {
    const delivery = await followUp(fleet, caller, session.id, {
      content: needed(args.prompt, "prompt", "follow_up"),
      goal: args.goal,
      actingSessionId: args.acting_session_id,
      isForced: args.force_immediate,
    });
    return new Written(
      sessionReceipt(
        "Follow-up Sent",
        delivery.session,
        deliveryFields(delivery),
      ).text,
      deliveryFacts("follow_up", delivery),
    );
  },
  async pause({ fleet, caller, session, signal }) {
    const { session: after, turn, isEnded, receipt } = await pauseAndWait(
      fleet,
      caller,
      session.id,
      signal,
    );
    return done("pause", isEnded ? "Paused" : "Pause Asked", after, [
      [
        "Turn",
        isEnded
          ? `turn ${turn.ordinal} has ended${
            receipt === undefined ? "" : `: ${receipt}`
          }`
          : `${
            turnOf(turn)
          }; asked to end, not yet confirmed: get_session shows needs_input once it has`,
      ],
      ["Queue", "held until a follow_up, start_now or restart"],
    ]);
  },
  async pause_into_spot_queue({ fleet, caller, session, args }) {
    const { session: after, turn } = await parkSession(
      fleet,
      caller,
      session.id,
      { prompt: args.prompt, isHalting: args.halt },
    );
    return done("pause_into_spot_queue", "Put Into the Spot Queue", after, [
      [
        "When",
        turn === undefined
          ? "now: it goes on when there is room"
          : args.halt === true
          ? "its turn was told to end"
          : "when its turn has ended: end your turn now",
      ],
    ]);
  },
  async start_now({ fleet, caller, session }) {
    const { session: after, turn } = await startNow(fleet, caller, session.id);
    return done("start_now", "Started", after, [["Turn", turnOf(turn)]]);
  },
  async restart({ fleet, caller, session }) {
    const { session: after, turn } = await restartSession(
      fleet,
      caller,
      session.id,
    );
    return done("restart", "Restarted", after, [["Turn", turnOf(turn)]]);
  },
  async archive({ fleet, caller, session, args }) {
    const wasArchived = session.status === "archived";
    const after = await archiveSession(fleet, session.id, {
      isForced: args.force === true,
      actingSessionId: args.acting_session_id,
    }, caller);
    return done(
      "archive",
      wasArchived ? "Archived Already" : "Archived",
      after,
      [
        [
          "Tree",
          after.trashAfter === null
            ? undefined
            : `kept until ${isoTime(after.trashAfter)}`,
        ],
      ],
    );
  },
  async unarchive({ fleet, caller, session }) {
    const after = await unarchiveSession(fleet, session.id, caller);
    return done("unarchive", "Unarchived", after, [
      ["Messages", "those that were retired stay retired"],
    ]);
  },
  ...CHANGE_ACTIONS,
  async set_visibility({ fleet, caller, session, args }) {
    const { session: after } = await setVisibility(fleet, caller, session.id, {
      visibility: needed(args.visibility, "visibility", "set_visibility"),
      snoozedUntil: args.snoozed_until,
      timezone: args.timezone,
    });
    return done("set_visibility", "Visibility Changed", after, [
      [
        "Visibility",
        after.snoozedUntil === null
          ? after.visibility
          : `snoozed until ${isoTime(after.snoozedUntil)}`,
      ],
      ["Note", "only its card: it runs as before"],
    ]);
  },
  async toggle_push_notifications({ fleet, caller, session }) {
    const { session: after } = await togglePush(fleet, caller, session.id);
    return done("toggle_push_notifications", "Notices Changed", after, [
      ["Push notifications", after.pushNotificationsEnabled ? "on" : "off"],
    ]);
  },
  async toggle_favorite({ fleet, caller, session }) {
    const { session: after } = await toggleFavorite(fleet, caller, session.id);
    return done("toggle_favorite", "Favorite Changed", after, [
      ["Favorite", after.isFavorited ? "yes" : "no"],
    ]);
  },
  async set_heartbeat({ fleet, caller, session, args }) {
    const { session: after } = await setHeartbeat(fleet, caller, session.id, {
      isEnabled: args.enabled,
      intervalSeconds: args.interval_seconds,
    });
    return done("set_heartbeat", "Heartbeat Changed", after, [
      [
        "Heartbeat",
        after.heartbeatEnabled
          ? `after ${after.heartbeatIntervalSeconds} s of rest`
          : "off",
      ],
    ]);
  },
  async fork({ fleet, caller, session, args }) {
    const { session: fork } = await forkSession(
      fleet,
      caller,
      session.id,
      { messageIndex: needed(args.message_index, "message_index", "fork") },
    );
    return done("fork", "Forked", session, [
      ["Fork", `session ${fork.id}; it waits for a follow_up`],
    ], { fork_session_id: fork.id });
  },
  async regenerate_status_summary({ fleet, caller, session }) {
    const wish = await regenerateSummary(fleet, caller, session.id);
    return done("regenerate_status_summary", "Status Summary Asked", session, [
      [
        "Summary",
        wish === "queued"
          ? "queued: get_session shows it when it is there"
          : "one is under way already",
      ],
    ]);
  },
  async refresh({ fleet, caller, session }) {
    const after = await refreshSession(fleet, caller, session.id);
    return done("refresh", "Refresh Asked", after, [
      ["Note", "its runner reads it anew; what is stored never shrinks"],
    ]);
  },
  async update_notes({ fleet, caller, session, args }) {
    const notes = needed(
      args.session_notes,
      "session_notes (an empty text clears them)",
      "update_notes",
    );
    const { session: after } = await updateNotes(
      fleet,
      caller,
      session.id,
      notes,
    );
    return done("update_notes", "Notes Written", after, [
      ["Notes", notes.trim() === "" ? "none" : `${notes.length} characters`],
    ]);
  },
  async update_title({ fleet, caller, session, args }) {
    const { session: after } = await updateTitle(
      fleet,
      caller,
      session.id,
      needed(args.title, "title", "update_title"),
    );
    return done("update_title", "Title Changed", after, []);
  },
  async remove_uncle({ fleet, caller, session, args }) {
    const uncle = needed(
      args.uncle_session_id,
      "uncle_session_id",
      "remove_uncle",
    );
    await removeUncle(fleet, caller, {
      sessionId: session.id,
      uncleSessionId: uncle,
      actingSessionId: args.acting_session_id,
    });
    return done("remove_uncle", "Senior Removed", session, [
      ["No longer its senior", `session ${uncle}`],
    ]);
  },
} as const satisfies Readonly<Record<string, ActionRun>>;

/** Names of the actions on one session. */
export const ACTION_NAMES = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
