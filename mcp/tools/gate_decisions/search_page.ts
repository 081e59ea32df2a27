/**
 * A page of decisions as data.
 *
 * @module
 */
import type {
  DecisionPage,
  GateDecision,
  GateFeedback,
} from "../../../store/gate/mod.ts";
import { cutText } from "../../render.ts";
import {
  COUNT,
  FLAG,
  listOf,
  objectOf,
  orNull,
  TEXT,
  type ValueOf,
} from "../../schema.ts";
import { decisionShape, feedbackShape, FOUND_DECISION } from "./shapes.ts";

/** A decision, what was said of it, and its entry where it was asked for. */
export interface FoundDecision {
  readonly decision: GateDecision;
  readonly feedback: readonly GateFeedback[];
  readonly payload: Readonly<Record<string, unknown>> | undefined;
  /** Whether the entry was asked for and does not fit. */
  readonly isPayloadCut: boolean;
}

/** A page. */
export const DECISION_PAGE = objectOf({
  total: orNull({
    ...COUNT,
    description: "How many match; null where not all were looked at",
  }),
  total_is_floor: FLAG,
  returned: COUNT,
  next_offset: orNull(COUNT),
  next_cursor: orNull(TEXT),
  scan: orNull(objectOf({ looked_at: COUNT, is_complete: FLAG })),
  decisions: listOf(FOUND_DECISION),
});

/** Notes beside others are cut as data, too. */
const NOTE_CHARACTERS = 400;

/** The page; `offset` is undefined behind a cursor. */
export function pageShape(
  { total, isFloor, next, scan }: DecisionPage,
  found: readonly FoundDecision[],
  offset: number | undefined,
): ValueOf<typeof DECISION_PAGE> {
  const hasOffset = next !== undefined && offset !== undefined &&
    scan === undefined;
  return {
    total: total ?? null,
    total_is_floor: isFloor,
    returned: found.length,
    next_offset: hasOffset ? offset + found.length : null,
    next_cursor: next ?? null,
    scan: scan === undefined
      ? null
      : { looked_at: scan.lookedAt, is_complete: scan.isComplete },
    decisions: found.map(foundShape),
  };
}

/** The decision with the field names of the wire. */
export function foundShape(
  { decision, feedback, payload }: FoundDecision,
): ValueOf<typeof FOUND_DECISION> {
  return {
    ...decisionShape(decision),
    feedback: feedback.map((said) => ({
      ...feedbackShape(said),
      note: said.note === null ? null : cutText(said.note, NOTE_CHARACTERS),
    })),
    ...(payload === undefined ? {} : { payload }),
  };
}
