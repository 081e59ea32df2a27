/**
 * The spot policy as answers have it, as data and as text.
 *
 * @module
 */
import {
  classOfGenesis,
  GENESIS_CLASSES,
  SETTABLE_GENESES,
  type SpotPolicy,
} from "../../../fleet/mod.ts";
import { GENESES, SCHEDULING_CLASSES } from "../../../store/sessions/mod.ts";
import type { LoginState } from "../../../store/spot/mod.ts";
import { Markdown } from "../../markdown/document.ts";
import { md } from "../../markdown/inline.ts";
import { isoTime } from "../../render.ts";
import {
  COUNT,
  FLAG,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
  wordOf,
} from "../../schema.ts";

/** The policy. */
export const SPOT_POLICY = objectOf({
  decision: wordOf(["allowed", "held"]),
  reason: wordOf([
    "gating_disabled",
    "no_snapshot",
    "within_limits",
    "at_utilization_limit",
    "fleet_at_cap",
    "unavailable",
  ]),
  settings: orNull(objectOf({
    enabled: FLAG,
    five_hour_threshold_pct: COUNT,
    weekly_threshold_pct: COUNT,
    max_concurrent_sessions: COUNT,
  })),
  running_sessions: orNull(COUNT),
  paused_sessions: orNull(COUNT),
  logins: listOf(objectOf({
    runtime: TEXT,
    account: TEXT,
    windows: listOf(objectOf({
      name: TEXT,
      utilization_pct: orNull({ type: "number" }),
      resets_at: orNull(TIME),
    })),
    rejected_until: orNull(TIME),
    reported_at: TIME,
  })),
  geneses: listOf(objectOf({
    genesis: wordOf(GENESES),
    scheduling_class: wordOf(SCHEDULING_CLASSES),
    default_class: wordOf(SCHEDULING_CLASSES),
    live_sessions: COUNT,
    is_settable: FLAG,
  })),
});

/** The policy with the field names of the wire. */
export function spotShape(
  { state, decision }: SpotPolicy,
): ValueOf<typeof SPOT_POLICY> {
  const settings = state?.settings;
  return {
    decision: decision.isAllowed ? "allowed" : "held",
    reason: decision.reason,
    settings: settings === undefined ? null : {
      enabled: settings.isGating,
      five_hour_threshold_pct: settings.fiveHourPct,
      weekly_threshold_pct: settings.weeklyPct,
      max_concurrent_sessions: settings.maxConcurrent,
    },
    running_sessions: state?.running ?? null,
    paused_sessions: state?.paused ?? null,
    logins: (state?.logins ?? []).map(loginShape),
    geneses: GENESES.map((genesis) => ({
      genesis,
      scheduling_class: classOfGenesis(genesis, settings?.classes ?? {}),
      default_class: GENESIS_CLASSES[genesis],
      live_sessions: Number(state?.live[genesis] ?? 0),
      is_settable: SETTABLE_GENESES.includes(genesis),
    })),
  };
}

function loginShape(login: LoginState) {
  return {
    runtime: login.runtime,
    account: login.account,
    windows: [...login.windows].map(([name, { utilization, resetsAt }]) => ({
      name,
      utilization_pct: utilization === null
        ? null
        : Math.round(utilization * 1_000) / 10,
      resets_at: isoTime(resetsAt),
    })),
    rejected_until: isoTime(login.rejectedUntil),
    reported_at: isoTime(login.reportedAt),
  };
}

/** The policy as text, behind what was done. */
export function spotText(policy: SpotPolicy, answer = new Markdown()): string {
  const shape = spotShape(policy);
  answer.heading(2, md`Spot policy`).field(
    "Decision",
    md`${shape.decision === "held" ? "HELD" : "allowed"} (${shape.reason})`,
  );
  if (shape.settings === null) {
    return answer.line(
      md`The settings could not be read; until they can be, spot sessions pass.`,
    ).text;
  }
  const { settings } = shape;
  answer.field("Gating", settings.enabled ? "on" : "off")
    .field("Five hours", `held from ${settings.five_hour_threshold_pct} %`)
    .field("Week", `held from ${settings.weekly_threshold_pct} %`)
    .field(
      "Running",
      `${shape.running_sessions} of ${settings.max_concurrent_sessions}, of any class`,
    )
    .field("Held or parked", shape.paused_sessions ?? 0);
  answer.heading(3, md`Logins`);
  if (shape.logins.length === 0) answer.line(md`No agent has reported limits.`);
  for (const login of shape.logins) {
    const windows = login.windows.map(({ name, utilization_pct: pct }) =>
      `${name} ${pct ?? "unknown"} %`
    ).join(", ");
    answer.item(
      md`${login.runtime} ${login.account}: ${windows || "no window"}${
        login.rejected_until === null
          ? ""
          : `, refused until ${login.rejected_until}`
      }`,
    );
  }
  answer.heading(3, md`Classes by genesis`);
  for (const one of shape.geneses) {
    const changed = one.scheduling_class === one.default_class
      ? ""
      : `, changed from ${one.default_class}`;
    answer.item(
      md`${one.genesis}: ${one.scheduling_class}${changed}; ${one.live_sessions} live; set ${
        one.is_settable ? "with action_spot_policy" : "on its trigger"
      }`,
    );
  }
  return answer.text;
}
