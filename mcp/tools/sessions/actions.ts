/**
 * The actions of `action_session` on one session: each calls one rule of the
 * fleet and writes its receipt.
 *
 * @module
 */
import {
  archiveSession,
  changeAutoCompactWindow,
  changeCategory,
  changeGoal,
  changeList,
  changeModel,
  changePrecedence,
  changeSchedulingClass,
  type Classed,
  type Fleet,
  type FleetCaller,
  FleetRefusalError,
  followUp,
  forkSession,
  type ListName,
  parkSession,
  pauseSession,
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
import type { Session } from "../../../store/sessions/mod.ts";
import { ToolError } from "../../errors.ts";
import type { Part } from "../../markdown/inline.ts";
import { isoTime } from "../../render.ts";
import type { ArgsOf } from "../../schema.ts";
import { Written } from "../tool.ts";
import type { ACTION_INPUT } from "./action_input.ts";
import {
  deliveryFacts,
  deliveryFields,
  type Done,
  facts,
  sessionReceipt,
  turnOf,
} from "./receipt.ts";

/** Arguments of every action; those of others are not looked at. */
export type ActionArgs = Partial<ArgsOf<typeof ACTION_INPUT>>;

/** A call of an action. */
export interface ActionCall {
  /** What the rules work on. */
  readonly fleet: Fleet;
  /** Who calls. */
  readonly caller: FleetCaller;
  /** The session that is named. */
  readonly session: Session;
  /** The arguments. */
  readonly args: ActionArgs;
}

type Run = (call: ActionCall) => Promise<Written<Done>>;

/** What holds after every change of what a session is given. */
const NEXT_TURN = "takes effect at its next turn";

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
  async pause({ fleet, caller, session }) {
    const { session: after, turn } = await pauseSession(
      fleet,
      caller,
      session.id,
    );
    return done("pause", "Pause Asked", after, [
      [
        "Turn",
        `${
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
  change_mcp_servers: (call) =>
    changeNames(call, "mcp_servers", call.args.mcp_servers),
  change_skills: (call) => changeNames(call, "skills", call.args.skills),
  change_hooks: (call) => changeNames(call, "hooks", call.args.hooks),
  change_plugins: (call) => changeNames(call, "plugins", call.args.plugins),
  async change_model({ fleet, caller, session, args }) {
    const model = needed(args.model, "model", "change_model");
    const { before, session: after } = await changeModel(
      fleet,
      caller,
      session.id,
      model,
    );
    return done("change_model", "Model Changed", after, [
      ["Model", `${String(before.config.model ?? "the default")} → ${model}`],
      ["Note", NEXT_TURN],
    ]);
  },
  async change_goal({ fleet, caller, session, args }) {
    const goal = needed(
      args.goal,
      "goal (an empty text clears it)",
      "change_goal",
    );
    const { session: after } = await changeGoal(
      fleet,
      caller,
      session.id,
      goal,
    );
    return done("change_goal", "Goal Changed", after, [
      ["Goal", goal.trim() === "" ? "none" : "as given"],
      ["Note", NEXT_TURN],
    ]);
  },
  async change_auto_compact_window({ fleet, caller, session, args }) {
    const window = needed(
      args.auto_compact_window,
      "auto_compact_window",
      "change_auto_compact_window",
    );
    const { session: after } = await changeAutoCompactWindow(
      fleet,
      caller,
      session.id,
      window,
    );
    return done("change_auto_compact_window", "Compact Window Changed", after, [
      ["Auto-compact window", `${window} tokens`],
      ["Note", NEXT_TURN],
    ]);
  },
  async change_scheduling_class({ fleet, caller, session, args }) {
    if (args.scheduling_class === undefined) {
      throw new ToolError(
        "change_scheduling_class needs scheduling_class: spot, priority or derived. Nothing was changed",
      );
    }
    const changed = await changeSchedulingClass(fleet, caller, session.id, {
      schedulingClass: args.scheduling_class === "derived"
        ? null
        : args.scheduling_class,
      precedence: args.precedence,
      place: args.place,
    });
    return done(
      "change_scheduling_class",
      "Scheduling Class Changed",
      changed.session,
      classFields(changed),
    );
  },
  async change_precedence({ fleet, caller, session, args }) {
    const changed = await changePrecedence(fleet, caller, session.id, args);
    return done(
      "change_precedence",
      "Precedence Changed",
      changed.session,
      classFields(changed),
    );
  },
  async change_category({ fleet, caller, session, args }) {
    if (args.category_id === undefined) {
      throw new ToolError(
        "change_category needs category_id; 0 means none. Nothing was changed",
      );
    }
    const id = args.category_id === 0 ? null : args.category_id;
    const { session: after } = await changeCategory(
      fleet,
      caller,
      session.id,
      id,
    );
    return done("change_category", "Category Changed", after, [
      ["Category", id ?? "none"],
    ]);
  },
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
      needed(args.message_index, "message_index", "fork"),
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
} as const satisfies Readonly<Record<string, Run>>;

/** Names of the actions on one session. */
export const ACTION_NAMES = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];

/** A receipt. */
export function done(
  action: string,
  heading: string,
  session: Session,
  fields: readonly (readonly [string, Part | undefined])[],
  more: Partial<Done> = {},
): Written<Done> {
  return new Written(
    sessionReceipt(heading, session, fields).text,
    facts(action, session, more),
  );
}

/** An argument that an action cannot do without. */
export function needed<T>(
  value: T | undefined,
  name: string,
  action: string,
): T {
  if (value !== undefined) return value;
  throw new FleetRefusalError(
    "bad_argument",
    `${action} needs ${name}. Nothing was changed`,
  );
}

async function changeNames(
  { fleet, caller, session }: ActionCall,
  list: ListName,
  names: readonly string[] | undefined,
): Promise<Written<Done>> {
  const action = `change_${list}`;
  const { session: after } = await changeList(fleet, caller, session.id, {
    list,
    names: needed(names, `${list} ([] for none)`, action),
  });
  const now = [...new Set(names)];
  return done(action, "List Changed", after, [
    [list, now.join(", ") || "none, on purpose"],
    ["Note", NEXT_TURN],
  ]);
}

function classFields(
  { before, session, old, now }: Classed,
): readonly (readonly [string, Part | undefined])[] {
  return [
    [
      "Scheduling class",
      `${old.name} (${old.source}) → ${now.name} (${now.source})`,
    ],
    ["Precedence", `${before.precedence} → ${session.precedence}`],
    [
      "Note",
      now.name === "priority"
        ? "precedence orders spot sessions only, and this one is priority"
        : undefined,
    ],
  ];
}
