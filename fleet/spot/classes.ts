/**
 * Which class a session has by what caused it. Pure.
 *
 * @module
 */
import {
  type ClassOverrides,
  GENESES,
  type Genesis,
  type SchedulingClass,
} from "../../store/sessions/mod.ts";

/** Classes where nothing else is set. */
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

/** Geneses whose class is set here; the others take theirs from their trigger. */
export const SETTABLE_GENESES: readonly Genesis[] = [
  "web_ui",
  "api",
  "unknown",
];

/** The class of a genesis. */
export function classOfGenesis(
  genesis: Genesis,
  classes: ClassOverrides,
): SchedulingClass {
  return classes[genesis] ?? GENESIS_CLASSES[genesis];
}

/** The genesis of a name, among all; undefined where there is none. */
export function genesisOf(name: string): Genesis | undefined {
  return GENESES.find((one) => one === name.trim().toLowerCase());
}

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
  return {
    name: classOfGenesis(genesis, overrides),
    source: overrides[genesis] === undefined
      ? "genesis_default"
      : "genesis_override",
  };
}

/** Geneses whose sessions are of a class unless they have their own. */
export function genesesOf(
  name: SchedulingClass,
  overrides: ClassOverrides,
): readonly Genesis[] {
  return GENESES.filter((genesis) =>
    classOfGenesis(genesis, overrides) === name
  );
}
