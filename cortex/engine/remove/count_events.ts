/**
 * How many events scopes hold: as the listing of scopes says where it counts,
 * else scope by scope.
 *
 * @module
 */

import type { RootPath, ScopePath } from "../../layout/scope.ts";
import type { Node } from "../../words.ts";
import {
  type EngineContext,
  forEachScope,
  type OperationOptions,
} from "../context.ts";
import { poll } from "../write/visibility.ts";
import { eventIds } from "./event_ids.ts";
import type { RemovalFailure } from "./failure.ts";

const COUNT_TO = 1_000;

/** What was counted. */
export interface Counted {
  /** By path, up to 1000 each; without those that nobody could look into. */
  readonly events: ReadonlyMap<string, number>;
  /** Where the count ended before it was done, and why. */
  readonly failure: RemovalFailure | undefined;
}

/**
 * Counts the events of scopes that are listed below a node. A look that fails
 * ends the count, and leaves what was counted until then.
 */
export async function countEvents(
  context: EngineContext,
  { ours, foreign }: {
    /** Scopes of ours. */
    readonly ours: readonly ScopePath[];
    /** Paths of others below our roots. */
    readonly foreign: readonly string[];
  },
  options: OperationOptions & {
    /** The node. */
    readonly at: Node;
    /** How long ours are waited for to be empty. @default {0} */
    readonly waitMs?: number | undefined;
  },
): Promise<Counted> {
  const { at, waitMs = 0, signal } = options;
  const events = new Map<string, number>();
  let failure: RemovalFailure | undefined;
  const attempt = async (
    path: ScopePath | RootPath,
    work: () => Promise<void>,
  ) => {
    if (failure !== undefined) return;
    try {
      await work();
    } catch (error) {
      signal?.throwIfAborted();
      failure ??= { path, error };
    }
  };
  const prefixes = context.listsBelow ? context.layout.prefixes(at) : [];
  await attempt(context.layout.root, async () => {
    for (const prefix of prefixes) {
      const query = { prefix, countTo: COUNT_TO };
      const listing = await context.client.listScopes(query, { signal });
      for (const [path, count] of listing.events ?? []) events.set(path, count);
    }
  });
  const look = async (path: ScopePath, withinMs: number) => {
    if (events.has(path)) return;
    await attempt(path, async () => {
      await poll(context, withinMs, { signal }, async () => {
        const ids = await eventIds(context, { path }, COUNT_TO, { signal });
        events.set(path, ids.length);
        return ids.length === 0;
      });
    });
  };
  await forEachScope(ours, (path) => look(path, waitMs));
  // Only read, below our root.
  await forEachScope(foreign, (path) => look(path as ScopePath, 0));
  return { events, failure };
}
