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
  return await indexSome(log) || await log.countTerms();
}

/** Works on the scope's root for a while; how many events are left then. */
export async function indexRoot(
  log: EventLog,
  scope: string,
  { limitMs, now }: { readonly limitMs: number; readonly now: () => number },
): Promise<number> {
  const began = now();
  while (now() - began < limitMs) {
    if (!await indexSome(log, scope)) return 0;
  }
  return await log.countUnindexed(MAX_COUNTED, scope);
}

/** How many events are not indexed, up to 100,000. */
export async function countUnindexed(log: EventLog): Promise<number> {
  return await log.countUnindexed(MAX_COUNTED);
}

async function indexSome(log: EventLog, scope?: string): Promise<boolean> {
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
  return events.length === BATCH_EVENTS;
}
