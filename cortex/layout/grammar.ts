/**
 * What the two layouts have in common: the shape of a body grammar. A body is
 * what follows the root in a scope's path.
 *
 * @module
 */

import type { Kind, Node } from "../words.ts";
import type { Fault } from "./segment.ts";

/** A body read: its node and kind, or why it is none. */
export type BodyReading =
  | { readonly ok: true; readonly node: Node; readonly kind: Kind }
  | { readonly ok: false } & Fault;

/** How a layout spells (node, kind) below a root. Pure and total. */
export interface BodyGrammar {
  /** The one body of a (node, kind). */
  render(node: Node, kind: Kind): string;
  /** Reads the body that begins at `start`: canonical spelling or nothing. */
  read(path: string, start: number): BodyReading;
  /** What every body of the node, or of a node below it, begins with. */
  stems(node: Node): readonly string[];
}

/** Joins two paths, either of which may be empty. */
export function joinPath(above: string, below: string): string {
  if (above === "") return below;
  return below === "" ? above : `${above}/${below}`;
}

/** A reading that failed at `offset`. */
export function unreadable(reason: string, offset: number): BodyReading {
  return { ok: false, reason, offset };
}
