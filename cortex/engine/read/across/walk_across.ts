/**
 * Walking through the events of many scopes: in one listing of all that lies
 * below the path that they share, where the other side lists that, else scope
 * by scope.
 *
 * @module
 */

import type { Scope } from "../../../layout/layouts.ts";
import type { RootPath, ScopePath } from "../../../layout/scope.ts";
import type { StoredEvent } from "../../../client/wire.ts";
import { type EngineContext, forEachScope } from "../../context.ts";
import { type ReadOptions, walkEvents, type WalkQuery } from "../walk.ts";

/** So many scopes are asked one by one. */
const FEW_SCOPES = 8;

/**
 * Hands over every event of the scopes that the query keeps, each once and, of
 * one scope, newest first; scopes by turns.
 *
 * @throws {CortexProtocolError} when the pages of a listing do not end
 * @throws {CortexRefusalError} `refused` when there are too many
 */
export async function walkAcross(
  context: EngineContext,
  scopes: readonly Scope[],
  { visit, ...query }: Pick<WalkQuery, "labels" | "isWithTurnIds"> & {
    /** Takes an event and the scope it lies in. */
    readonly visit: (scope: Scope, event: StoredEvent) => void;
  },
  options: ReadOptions,
): Promise<void> {
  if (!context.listsBelow || scopes.length <= FEW_SCOPES) {
    await forEachScope(scopes, async (scope) => {
      for await (
        const { event } of walkEvents(context, scope, query, options)
      ) visit(scope, event);
    });
    return;
  }
  const byPath = new Map(scopes.map((scope) => [String(scope.path), scope]));
  for (const some of Map.groupBy(scopes, ({ below }) => below).values()) {
    const walk = { ...query, below: true, scopes: some.length };
    const path = sharedPath(some);
    for await (
      const { event } of walkEvents(context, { path }, walk, options)
    ) {
      const scope = byPath.get(event.scope ?? "");
      if (scope !== undefined) visit(scope, event);
    }
  }
}

/** The longest path that all of the scopes, of one root, lie at or below. */
function sharedPath(scopes: readonly Scope[]): ScopePath | RootPath {
  const [first = [], ...others] = scopes.map(({ path }) => path.split("/"));
  const differs = first.findIndex((segment, at) =>
    others.some((other) => other[at] !== segment)
  );
  const shared = differs < 0 ? first : first.slice(0, differs);
  // Scopes of one root share that root at least.
  return shared.join("/") as ScopePath | RootPath;
}
