/**
 * What the spot gate lets a runner take, read before the lease's transaction:
 * where it cannot be read, everything passes.
 *
 * @module
 */
import { type GateState, readGateState } from "../../store/spot/mod.ts";
import type { PickLane } from "../../store/turns/mod.ts";
import type { Fleet } from "../fleet.ts";
import { genesesOf } from "./classes.ts";
import { decideGate, type GateReason } from "./gate.ts";

/** What may go on now. */
export interface Admission {
  /** Classes and geneses, the held apart from the others. */
  readonly lanes: readonly PickLane[];
  /** Running sessions at which no spot session is added; undefined: any number. */
  readonly ceiling: number | undefined;
  /** Why spot sessions pass, or do not. */
  readonly reason: GateReason;
}

/** Reads it. Never rejects. */
export async function readAdmission(
  { store }: Pick<Fleet, "store">,
): Promise<Admission> {
  try {
    return admissionOf(await readGateState(await store.db()));
  } catch {
    return admissionOf(undefined);
  }
}

/** What a state lets pass; one that could not be read lets pass everything. */
export function admissionOf(state: GateState | undefined): Admission {
  const classes = state?.settings.classes ?? {};
  const lanes = (isSpot: boolean, isHeld: boolean): PickLane[] =>
    [
      isSpot ? "spot" : "priority",
      ...genesesOf(isSpot ? "spot" : "priority", classes),
    ].map((name) => ({ name, isSpot, isHeld }));
  // A session that was held and is a priority one by now goes on at once.
  const priority = [...lanes(false, false), ...lanes(false, true)];
  if (state === undefined) {
    return {
      lanes: [...priority, ...lanes(true, false), ...lanes(true, true)],
      ceiling: undefined,
      reason: "unavailable",
    };
  }
  const { isAllowed, reason } = decideGate(state);
  const resumes = decideGate(state, { isResuming: true }).isAllowed;
  return {
    lanes: [
      ...priority,
      ...(isAllowed ? lanes(true, false) : []),
      ...(resumes ? lanes(true, true) : []),
    ],
    ceiling: state.settings.isGating ? state.settings.maxConcurrent : undefined,
    reason,
  };
}
