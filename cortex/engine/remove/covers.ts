/**
 * Covers: paths below which everything that is listed is to go, so that one
 * erasure takes many scopes.
 *
 * @module
 */

import type { Scope } from "../../layout/layouts.ts";
import { isAtOrBelow } from "../../layout/node.ts";
import type { RootPath, ScopePath } from "../../layout/scope.ts";

/** One erasure for several scopes. */
export interface Cover {
  /** What is erased, with all below it. */
  readonly path: ScopePath | RootPath;
  /** The scopes of ours that lie there, at least two. */
  readonly scopes: readonly Scope[];
}

/** The highest paths that hold nothing but what is to go. */
export function findCovers(
  doomed: readonly Scope[],
  { staying, prefixes }: {
    /** Paths that must not be touched. */
    readonly staying: readonly string[];
    /** What was listed: nothing is known of what lies elsewhere. */
    readonly prefixes: readonly string[];
  },
): readonly Cover[] {
  const held = new Set(staying.flatMap(lineOf));
  const coverOf = ({ path }: Scope) =>
    lineOf(path).find((above) =>
      !held.has(above) &&
      prefixes.some((prefix) => `${above}/`.startsWith(prefix))
    );
  const groups = Map.groupBy(doomed, coverOf);
  return [...groups].flatMap(([path, scopes]) =>
    path === undefined || scopes.length < 2
      ? []
      // Its scopes are below a root, so it is one or lies below one.
      : [{ path: path as ScopePath | RootPath, scopes }]
  );
}

/** Whether a cover takes the scope. */
export function isCovered(
  { path }: Pick<Scope, "path">,
  covers: readonly Cover[],
): boolean {
  return covers.some((cover) => isAtOrBelow(path, cover.path));
}

/** The path and all above it, the highest first. */
function lineOf(path: string): readonly string[] {
  const segments = path.split("/");
  return segments.map((_, index) => segments.slice(0, index + 1).join("/"));
}
