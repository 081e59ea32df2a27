/**
 * Which class a session has, and where it stands among spot sessions.
 *
 * @module
 */
import type { Queryable } from "../../store/pg/mod.ts";
import {
  GENESES,
  type Genesis,
  readGenesisClasses,
  type SchedulingClass,
  type Session,
  topOfSpot,
} from "../../store/sessions/mod.ts";
import { assertRange, badArgument } from "./texts.ts";

/** Classes of geneses where nobody set another. */
export const GENESIS_CLASSES: Readonly<Record<Genesis, SchedulingClass>> = {
  web_ui: "priority",
  slack: "priority",
  github_issue: "spot",
  github_label: "spot",
  schedule: "spot",
  ao_event: "spot",
  system_event: "priority",
  webhook: "spot",
  api: "spot",
  unknown: "priority",
};

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
  if (session.schedulingClass !== null) {
    return { name: session.schedulingClass, source: "its own" };
  }
  const set = (await readGenesisClasses(db))[session.genesis];
  return {
    name: set ?? GENESIS_CLASSES[session.genesis],
    source: `genesis ${session.genesis}${set === undefined ? "" : ", as set"}`,
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
  const set = await readGenesisClasses(db);
  const spot = GENESES.filter((one) =>
    (set[one] ?? GENESIS_CLASSES[one]) === "spot"
  );
  const top = await topOfSpot(db, spot);
  return clampPrecedence((top ?? 0) + TOP_STEP);
}

/** The nearest place there is. */
export function clampPrecedence(value: number): number {
  return Math.max(PRECEDENCE_RANGE[0], Math.min(PRECEDENCE_RANGE[1], value));
}
