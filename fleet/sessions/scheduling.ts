/**
 * Which class a session has, and where it stands among spot sessions.
 *
 * @module
 */
import type { Queryable } from "../../store/pg/mod.ts";
import {
  readClassOverrides,
  type SchedulingClass,
  type Session,
  topOfSpot,
} from "../../store/sessions/mod.ts";
import { classOf as classIn, genesesOf } from "../spot/classes.ts";
import { assertRange, badArgument } from "./texts.ts";

/** Limits of a place. */
export const PRECEDENCE_RANGE: readonly [number, number] = [
  -1_000_000_000,
  1_000_000_000,
];

/** How far above the highest a session is placed at the top. */
const TOP_STEP = 5;

/** A session's class, and whether it is its own. */
export async function classOf(
  db: Queryable,
  session: Pick<Session, "schedulingClass" | "genesis">,
): Promise<{ readonly name: SchedulingClass; readonly source: string }> {
  const { name, source } = classIn(session, await readClassOverrides(db));
  if (source === "own") return { name, source: "its own" };
  const isSet = source === "genesis_override";
  return {
    name,
    source: `genesis ${session.genesis}${isSet ? ", as set" : ""}`,
  };
}

/** Where a session is to be placed. */
export interface Placing {
  /** At that place. */
  readonly precedence?: number | undefined;
  /** Above all live spot sessions. */
  readonly place?: "top_of_spot" | undefined;
}

/** Refuses a placing that says two things or is out of range. */
export function assertPlacing({ precedence, place }: Placing): void {
  if (precedence !== undefined && place !== undefined) {
    throw badArgument("Give precedence or place, not both");
  }
  if (precedence !== undefined) {
    assertRange(precedence, "precedence", PRECEDENCE_RANGE);
  }
}

/** The place that is meant; undefined where nothing is said. */
export async function placeOf(
  db: Queryable,
  { precedence, place }: Placing,
): Promise<number | undefined> {
  if (place === undefined) return precedence;
  const spot = genesesOf("spot", await readClassOverrides(db));
  const top = await topOfSpot(db, spot);
  return clampPrecedence((top ?? 0) + TOP_STEP);
}

/** The nearest place there is. */
export function clampPrecedence(value: number): number {
  return Math.max(PRECEDENCE_RANGE[0], Math.min(PRECEDENCE_RANGE[1], value));
}
