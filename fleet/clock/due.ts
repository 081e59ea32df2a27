/**
 * Fires what is due: wakes and schedules, found by their time in an index.
 *
 * Any number of servers look at once. Each begins at another of those that are
 * due, so that they seldom meet; where they do, one of them finds nothing left.
 *
 * @module
 */
import { readRecovery } from "../../store/jobs/mod.ts";
import { findDueConditions } from "../../store/triggers/mod.ts";
import type { Fleet } from "../fleet.ts";
import { fireSchedule } from "../triggers/due.ts";
import { fireWake } from "../wakes/fire.ts";

/** Conditions that are read at once. */
const BATCH = 200;
/** Firings at once: calls of others find connections left. */
const AT_ONCE = 2;

/** How a look goes. */
export interface DueOptions {
  /** Ends the look after the firings that are under way. */
  readonly signal?: AbortSignal | undefined;
  /** Told of a firing that could not be tried; it stays due. @default {throws} */
  readonly report?: ((error: unknown) => void) | undefined;
}

/**
 * Fires what is due now, until nothing is; says how many firings were tried.
 *
 * @throws {StoreUnavailableError} The database cannot answer.
 */
export async function fireDue(
  fleet: Pick<Fleet, "catalog" | "store" | "groupNames">,
  { signal, report }: DueOptions = {},
): Promise<number> {
  const db = await fleet.store.db();
  const tried = new Set<number>();
  for (;;) {
    // In recovery mode what is due waits, as the jobs of its lane do.
    if (await readRecovery(db) !== null) return tried.size;
    const due = await findDueConditions(db, BATCH + tried.size);
    // One that stays due could not be fired: the next look tries it again.
    const fresh = due.filter(({ id }) => !tried.has(id)).slice(0, BATCH);
    if (fresh.length === 0 || signal?.aborted === true) return tried.size;
    shuffle(fresh);
    const fireNext = async () => {
      let one: typeof fresh[number] | undefined;
      while (signal?.aborted !== true && (one = fresh.pop()) !== undefined) {
        tried.add(one.id);
        try {
          if (one.isWake) await fireWake(db, one.id);
          else await fireSchedule(fleet, one.id);
        } catch (error) {
          if (report === undefined) throw error;
          report(error);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, fireNext));
    if (tried.size > MAX_TRIED) return tried.size;
  }
}

/** A look ends here: the set of those tried must not grow without bounds. */
const MAX_TRIED = 100_000;

function shuffle(items: unknown[]): void {
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [items[at], items[other]] = [items[other], items[at]];
  }
}
