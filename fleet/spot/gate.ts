/**
 * The spot gate: whether a spot session may go on now. Pure.
 *
 * It counts every running session, holds spot ones only, and lets pass where it
 * does not know.
 *
 * @module
 */
import type { GateState, LoginState } from "../../store/spot/mod.ts";

/** Why it decides so. */
export type GateReason =
  | "gating_disabled"
  | "no_snapshot"
  | "within_limits"
  | "at_utilization_limit"
  | "fleet_at_cap"
  | "unavailable";

/** What it decides. */
export interface GateDecision {
  /** Whether spot sessions may go on. */
  readonly isAllowed: boolean;
  /** Why. */
  readonly reason: GateReason;
}

/** Points below the threshold at which what is held goes on again. */
export const RESUME_MARGIN_PCT = 5;

/** Decides; `isResuming` asks for what is held already. */
export function decideGate(
  { settings, logins, running }: GateState,
  { isResuming = false }: { readonly isResuming?: boolean } = {},
): GateDecision {
  if (!settings.isGating) return allowed("gating_disabled");
  if (running >= settings.maxConcurrent) {
    return { isAllowed: false, reason: "fleet_at_cap" };
  }
  const known = logins.filter(isKnown);
  if (known.length === 0) return allowed("no_snapshot");
  const margin = isResuming ? RESUME_MARGIN_PCT : 0;
  const limits: readonly (readonly [string, number])[] = [
    ["five_hour", settings.fiveHourPct - margin],
    ["seven_day", settings.weeklyPct - margin],
  ];
  const isFree = known.some((login) =>
    login.rejectedUntil === null &&
    limits.every(([name, pct]) => {
      const used = login.windows.get(name)?.utilization;
      return used === undefined || used === null || used * 100 < pct;
    })
  );
  return isFree
    ? allowed("within_limits")
    : { isAllowed: false, reason: "at_utilization_limit" };
}

/** Whether there is anything to decide by. */
function isKnown({ windows, rejectedUntil }: LoginState): boolean {
  return rejectedUntil !== null ||
    [...windows.values()].some(({ utilization }) => utilization !== null);
}

function allowed(reason: GateReason): GateDecision {
  return { isAllowed: true, reason };
}
