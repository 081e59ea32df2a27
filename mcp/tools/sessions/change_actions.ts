/**
 * The actions of `action_session` that change what a session is given and where
 * it stands: each calls one rule of the fleet and writes its receipt.
 *
 * @module
 */
import {
  changeAutoCompactWindow,
  changeCategory,
  changeGoal,
  changeList,
  changeModel,
  changePrecedence,
  changeSchedulingClass,
  type Classed,
  type ListName,
} from "../../../fleet/mod.ts";
import { ToolError } from "../../errors.ts";
import type { Part } from "../../markdown/inline.ts";
import type { Written } from "../tool.ts";
import {
  type ActionCall,
  type ActionRun,
  done,
  needed,
} from "./action_call.ts";
import type { Done } from "./receipt.ts";

/** What holds after every change of what a session is given. */
const NEXT_TURN = "takes effect at its next turn";
/** The actions that change what a session is given. */
export const CHANGE_ACTIONS = {
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
        "Action change_scheduling_class needs scheduling_class: spot, priority or derived. Nothing was changed",
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
        "Action change_category needs category_id; 0 means none. Nothing was changed",
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
} as const satisfies Readonly<Record<string, ActionRun>>;

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
