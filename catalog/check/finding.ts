/**
 * One thing that the owner of a catalog should know, and how names stand in it.
 *
 * @module
 */

import { cutText } from "../parse/problems.ts";

/** One thing the owner of the catalog should know. */
export interface Finding {
  /** An error means something declared does not work. */
  readonly level: "error" | "warning" | "note";
  /** Root it is about; absent: the whole catalog. */
  readonly root?: string;
  /** What it is, for people; one line. */
  readonly message: string;
}

const MAX_NAMES = 10;

/** A name as it is written in JSON, so that it stays on its line. */
export function quote(text: string): string {
  return JSON.stringify(cutText(text, 80));
}

/** Names, cut at a number. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(quote).join(", ");
  const rest = names.length - MAX_NAMES;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
