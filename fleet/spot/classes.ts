/**
 * Which class a session has by what caused it. Pure.
 *
 * @module
 */
import {
  GENESES,
  type Genesis,
  type SchedulingClass,
} from "../../store/sessions/mod.ts";
import type { SpotSettings } from "../../store/spot/mod.ts";

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
  classes: SpotSettings["classes"],
): SchedulingClass {
  return classes[genesis] ?? GENESIS_CLASSES[genesis];
}

/** The genesis of a name, among all; undefined where there is none. */
export function genesisOf(name: string): Genesis | undefined {
  return GENESES.find((one) => one === name.trim().toLowerCase());
}
