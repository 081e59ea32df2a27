/**
 * Indexing in the background what was stored without passages, or with those
 * of an older analyser.
 *
 * @module
 */
import { ANALYSER_VERSION } from "../analyser/analyser.ts";
import type { EventLog, UnindexedEvent } from "../port.ts";
import { indexEntryOf } from "./index_entry.ts";

/** How long a recall itself works on what is not indexed, in milliseconds. */
export const INDEXING_MS = 200;
/** Events that are indexed together. */
const BATCH_EVENTS = 20;
/** Passages after which a batch is stored. */
const BATCH_PASSAGES = 100;
/** Most events that are said to be left. */
const MAX_COUNTED = 100_000;

/**
 * Takes one step: looks for events of older analysers, then indexes some, then
 * counts terms. Whether more may be left.
 */
export async function advanceIndexing(log: EventLog): Promise<boolean> {
  if (await log.findOutdated(ANALYSER_VERSION)) return true;
  return await indexSome(log) === BATCH_EVENTS || await log.countTerms();
}

/** What became of what a root had that was not indexed. */
export interface Indexing {
  /** Events that still are not, up to 100,000. */
  readonly left: number;
  /** Whether the index has more than before. */
  readonly isChanged: boolean;
}

/** Works on the scope's root for a while. */
export async function indexRoot(
  log: EventLog,
  scope: string,
  { limitMs, now }: { readonly limitMs: number; readonly now: () => number },
): Promise<Indexing> {
  const began = now();
  let isChanged = false;
  while (now() - began < limitMs) {
    const indexed = await indexSome(log, scope);
    isChanged ||= indexed > 0;
    if (indexed < BATCH_EVENTS) return { left: 0, isChanged };
  }
  return { left: await log.countUnindexed(MAX_COUNTED, scope), isChanged };
}

/** How many events are not indexed, up to 100,000. */
export async function countUnindexed(log: EventLog): Promise<number> {
  return await log.countUnindexed(MAX_COUNTED);
}

/** Indexes a batch; how many events. */
async function indexSome(log: EventLog, scope?: string): Promise<number> {
  const events = await log.readUnindexed(BATCH_EVENTS, scope);
  let found: UnindexedEvent[] = [];
  let passages = 0;
  for (const event of events) {
    const entry = await indexEntryOf(event);
    found.push({ event, entry });
    passages += entry.passages.length;
    if (passages < BATCH_PASSAGES) continue;
    await log.index(found);
    found = [];
    passages = 0;
  }
  await log.index(found);
  return events.length;
}
