/**
 * Whether a session runs at once or when there is room: its class, and where it
 * comes from.
 *
 * @module
 */
import type { ClassOverrides } from "../../store/session_reads/mod.ts";
import {
  GENESES,
  type Genesis,
  type SchedulingClass,
} from "../../store/sessions/mod.ts";
import { GENESIS_CLASSES } from "../spot/classes.ts";

/** A class, and what it comes from. */
export interface EffectiveClass {
  /** The class. */
  readonly name: SchedulingClass;
  /** Its own, set for its genesis, or the usual one of its genesis. */
  readonly source: "own" | "genesis_override" | "genesis_default";
}

/** The class of a session. */
export function classOf(
  { genesis, schedulingClass }: {
    readonly genesis: Genesis;
    readonly schedulingClass: SchedulingClass | null;
  },
  overrides: ClassOverrides,
): EffectiveClass {
  if (schedulingClass !== null) return { name: schedulingClass, source: "own" };
  const override = overrides[genesis];
  return override === undefined
    ? { name: GENESIS_CLASSES[genesis], source: "genesis_default" }
    : { name: override, source: "genesis_override" };
}

/** Geneses whose sessions are of a class unless they have their own. */
export function genesesOf(
  name: SchedulingClass,
  overrides: ClassOverrides,
): readonly Genesis[] {
  return GENESES.filter((genesis) =>
    classOf({ genesis, schedulingClass: null }, overrides).name === name
  );
}
