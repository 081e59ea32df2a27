/**
 * Gates and surfaces as callers name them. Pure.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import { type Gate, GATES } from "../../store/gate/mod.ts";
import { FleetRefusalError } from "../errors.ts";

/** What else stands for a gate. */
const ALIASES: Readonly<Record<string, Gate>> = {
  pr: "pr_merge",
  pr_gate: "pr_merge",
  pr_merge_gate: "pr_merge",
  issue: "issue_work",
  issue_gate: "issue_work",
  issue_work_gate: "issue_work",
};
const MAX_SURFACE_CHARACTERS = 200;

/** The gate that a name stands for. @throws {FleetRefusalError} None. */
export function gateOf(name: string): Gate {
  const folded = foldName(name);
  const gate = GATES.find((one) => one === folded) ??
    (Object.hasOwn(ALIASES, folded) ? ALIASES[folded] : undefined);
  if (gate !== undefined) return gate;
  throw new FleetRefusalError(
    "bad_argument",
    `There is no gate "${cutText(name, 100)}"; gates: ${
      GATES.join(", ")
    } (also: ${Object.keys(ALIASES).join(", ")})`,
  );
}

/**
 * The surface that a name stands for: lower case, with `_` for blanks and `-`.
 *
 * @throws {FleetRefusalError} It is empty or too long.
 */
export function surfaceOf(name: string): string {
  const surface = foldName(name);
  const characters = [...surface].length;
  if (characters >= 1 && characters <= MAX_SURFACE_CHARACTERS) return surface;
  throw new FleetRefusalError(
    "bad_argument",
    `A surface has 1 to ${MAX_SURFACE_CHARACTERS} characters, such as the name of an agent root; this has ${characters}`,
  );
}

function foldName(name: string): string {
  return name.trim().toLowerCase().replace(/[-\s]+/g, "_");
}
