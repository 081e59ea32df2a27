/**
 * One session with all that is told of it.
 *
 * @module
 */
import {
  readSessionFacts,
  type SessionFacts,
} from "../../store/session_reads/mod.ts";
import {
  countMessages,
  listMessages,
  listWakes,
  type QueuedMessage,
  readSessionTexts,
  type Session,
  type SessionTexts,
  type Wake,
} from "../../store/sessions/mod.ts";
import type { Fleet } from "../fleet.ts";
import { classOf, type EffectiveClass } from "../spot/classes.ts";
import { type Provenance, readProvenance } from "./provenance.ts";

/** Queued messages that are shown of a session. */
export const QUEUE_PREVIEWS = 5;
/** Characters of each. */
export const QUEUE_PREVIEW_CHARACTERS = 120;

/** All that is told of a session. */
export interface SessionView {
  /** Its row. */
  readonly session: Session;
  /** Its long texts. */
  readonly texts: SessionTexts;
  /** Its turn, transcript's length, summary and questions. */
  readonly facts: SessionFacts;
  /** Its class, and where that comes from. */
  readonly schedulingClass: EffectiveClass;
  /** Its queue: pending messages, one under way, and the first pending ones. */
  readonly queue: {
    readonly pending: number;
    readonly processing: number;
    readonly first: readonly QueuedMessage[];
  };
  /** Its own armed wakes, the next due first. */
  readonly wakes: readonly Wake[];
  /** Its family, and what people said in it. */
  readonly provenance: Provenance;
}

/** Reads it, in a constant number of statements but for the walk of the family. */
export async function readSessionView(
  fleet: Pick<Fleet, "store" | "humanChannels">,
  session: Session,
): Promise<SessionView> {
  const db = await fleet.store.db();
  const { id } = session;
  const [texts, facts, counts, first, wakes, provenance] = await Promise.all([
    readSessionTexts(db, id),
    readSessionFacts(db, id),
    countMessages(db, id),
    listMessages(db, id, {
      status: "pending",
      limit: QUEUE_PREVIEWS,
      // One more, so that a longer one is known to be longer.
      characters: QUEUE_PREVIEW_CHARACTERS + 1,
    }),
    listWakes(db, id),
    readProvenance(fleet, id),
  ]);
  return {
    session,
    texts: texts ?? {
      prompt: null,
      goal: null,
      notes: null,
      notesUpdatedAt: null,
    },
    facts,
    schedulingClass: classOf(session, provenance.overrides),
    queue: { pending: counts.pending, processing: counts.processing, first },
    wakes,
    provenance,
  };
}
