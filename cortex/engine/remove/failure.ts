/**
 * Why a removal, or the look at what it left, ended before it was done.
 *
 * @module
 */

import type { RootPath, ScopePath } from "../../layout/scope.ts";

/** Where it did, and why. */
export interface RemovalFailure {
  /** The scope, or the root where many were looked into at once. */
  readonly path: ScopePath | RootPath;
  /** Why. */
  readonly error: unknown;
}
