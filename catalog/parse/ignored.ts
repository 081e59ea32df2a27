/**
 * What was left out while reading, with a JSON pointer and a reason.
 *
 * The list is bounded: a wrecked catalog of a million entries must not fill the
 * log or the memory. The total is always exact.
 *
 * @module
 */

import { cutText } from "./problems.ts";
import type { Ignored, IgnoredLevel } from "../types.ts";

/** Most entries kept, the closing "and N more" not counted. */
export const MAX_IGNORED = 1_000;

const MAX_REASON_CHARS = 500;
const MAX_POINTER_CHARS = 500;

/** A place in a document: where it was read and the path to a value in it. */
export interface Place {
  /** File or URL, without credentials. */
  readonly source: string;
  /** Keys and indexes from the top of the document. */
  readonly path: readonly (string | number)[];
}

/** Collects what was left out. */
export class IgnoredList {
  readonly #items: Ignored[] = [];
  #total = 0;

  /** How many things were left out in all. */
  get total(): number {
    return this.#total;
  }

  /** Adds one thing. */
  add(place: Place, reason: string, level: IgnoredLevel = "error"): void {
    this.#total++;
    if (this.#items.length >= MAX_IGNORED) return;
    this.#items.push({
      source: place.source,
      pointer: cutText(toPointer(place.path), MAX_POINTER_CHARS),
      reason: cutText(reason, MAX_REASON_CHARS),
      level,
    });
  }

  /** The list, closed by a line that says how many are not in it. */
  toArray(source: string): readonly Ignored[] {
    const rest = this.#total - this.#items.length;
    if (rest === 0) return [...this.#items];
    return [...this.#items, {
      source,
      pointer: "",
      reason: `And ${rest} more that are not listed`,
      level: "error",
    }];
  }
}

/** The place of a member of the value at a place. */
export function within(place: Place, ...path: (string | number)[]): Place {
  return { source: place.source, path: [...place.path, ...path] };
}

/** Writes a path as a JSON pointer (RFC 6901). */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((part) =>
    "/" + String(part).replaceAll("~", "~0").replaceAll("/", "~1")
  ).join("");
}
