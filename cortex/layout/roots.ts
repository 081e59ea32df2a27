/**
 * Where a root stands in a path, on either wire.
 *
 * @module
 */

import type { Wire } from "../words.ts";
import { joinPath } from "./grammar.ts";
import { isAtOrBelow } from "./node.ts";
import { type RootPath, TENANT_ROOT, TENANT_RULE } from "./scope.ts";
import { segmentEnd, segmentFault } from "./segment.ts";

/**
 * Where the body begins in a path below `root`: behind the root's `/`, one past
 * the path's end when nothing follows the root, -1 when the root is not there.
 * A direct path begins with the root. A hosted one may have anything in front,
 * so the root's last occurrence counts; a tenant root is an `org:` segment that
 * may be there or not.
 */
export function bodyStart(path: string, root: RootPath, wire: Wire): number {
  if (root === TENANT_ROOT) {
    const end = segmentEnd(path, 0);
    return segmentFault(path, 0, end, TENANT_RULE) === undefined ? end + 1 : 0;
  }
  if (wire === "direct") {
    return isAtOrBelow(path, root) ? root.length + 1 : -1;
  }
  for (let at = path.lastIndexOf(root); at >= 0;) {
    const end = at + root.length;
    const begins = at === 0 || path[at - 1] === "/";
    if (begins && (end === path.length || path[end] === "/")) return end + 1;
    at = at === 0 ? -1 : path.lastIndexOf(root, at - 1);
  }
  return -1;
}

/**
 * How a path may come back from a listing. A hosted backend puts the tenant in
 * front, which matters when the retired root begins with a tenant of its own:
 * the two together could spell it.
 */
export function storedForms(
  path: string,
  wire: Wire,
  retired: RootPath | undefined,
): readonly string[] {
  if (wire === "direct" || retired === undefined) return [path];
  const tenant = retired.slice(0, segmentEnd(retired, 0));
  return tenant.startsWith("org:") ? [path, joinPath(tenant, path)] : [path];
}
