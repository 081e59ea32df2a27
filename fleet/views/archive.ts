/**
 * All transcripts as one stream of JSON Lines, an event a line.
 *
 * It is read as it is sent, a part at a time, so that its size costs no memory
 * and no call takes long.
 *
 * @module
 */
import {
  countTranscripts,
  type EventPlace,
  listTranscribed,
  readEvents,
  type TranscriptEvent,
  type TranscriptTotals,
} from "../../store/session_reads/mod.ts";
import type { FleetCaller } from "../caller.ts";
import type { Fleet } from "../fleet.ts";
import { keysWithin } from "./find.ts";

/** Sessions whose numbers are read at once. */
const SESSIONS_AT_ONCE = 500;
/** Events that are read at once. */
const EVENTS_AT_ONCE = 500;

/** How much there is that the caller may read. */
export async function countArchive(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: Pick<FleetCaller, "fence">,
): Promise<TranscriptTotals> {
  return await countTranscripts(
    await fleet.store.db(),
    await keysWithin(fleet, caller),
  );
}

/** Events of all sessions that the caller may read, by session and in order. */
export async function* readArchive(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: Pick<FleetCaller, "fence">,
): AsyncGenerator<readonly TranscriptEvent[]> {
  const db = await fleet.store.db();
  const rootKeys = await keysWithin(fleet, caller);
  for (let after = 0;;) {
    const ids = await listTranscribed(db, {
      after,
      rootKeys,
      limit: SESSIONS_AT_ONCE,
    });
    for (const id of ids) yield* readTranscript(fleet, id);
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** Events of one session behind a place, in parts. */
export async function* readTranscript(
  { store }: Pick<Fleet, "store">,
  sessionId: number,
  from?: EventPlace,
): AsyncGenerator<readonly TranscriptEvent[]> {
  const db = await store.db();
  for (let after = from;;) {
    const events = await readEvents(db, sessionId, {
      after,
      limit: EVENTS_AT_ONCE,
    });
    const last = events.at(-1);
    if (last === undefined) return;
    yield events;
    after = last;
  }
}
