/**
 * Reads a transcript for its page: the newest of it, or what followed.
 *
 * @module
 */
import { type ListedTurn, listTurns } from "../../../store/board/mod.ts";
import type { Db } from "../../../store/pg/mod.ts";
import {
  type EventPlace,
  readEvents,
  readNewestEvents,
  type TranscriptEvent,
} from "../../../store/session_reads/mod.ts";
import { findSession } from "../../../store/sessions/mod.ts";
import type { Html } from "../markup.ts";
import { blockItem, turnItem } from "./block.ts";
import { type Block, Transcript } from "./transcript.ts";

const PLACE_REGEXP = /^([1-9]\d{0,15})\.([1-9]\d{0,15})$/;
/** Events that a page begins with at most. */
const PAGE_EVENTS = 400;

/** Items of a transcript that are new or have changed, in their order. */
export interface TranscriptNews {
  /** Each with the name by which an older one of it is found. */
  readonly items: readonly { readonly key: string; readonly item: Html }[];
  /** The event behind which to go on. */
  readonly place: EventPlace | undefined;
  /** The first event that was read. */
  readonly first: EventPlace | undefined;
  /** Whether there are older ones. */
  readonly hasOlder: boolean;
}

/** A place as an address has it, `TURN.SEQ`. */
export function placeText({ turnId, seq }: EventPlace): string {
  return `${turnId}.${seq}`;
}

/** The place of such a text; undefined where it is none. */
export function placeOf(given: string | undefined): EventPlace | undefined {
  const [, turnId, seq] = PLACE_REGEXP.exec(given ?? "") ?? [];
  return turnId === undefined || seq === undefined
    ? undefined
    : { turnId: Number(turnId), seq: Number(seq) };
}

/** A transcript that is read bit by bit. */
export class TranscriptReader {
  #transcript: Transcript | undefined;
  readonly #turns = new Set<number>();
  readonly #sessionId: number;
  readonly #mayWrite: boolean;
  #place: EventPlace | undefined;
  #known: EventPlace | undefined;
  #canFork = false;

  /** Has read nothing yet. */
  constructor(
    sessionId: number,
    { mayWrite }: { readonly mayWrite: boolean },
  ) {
    this.#sessionId = sessionId;
    this.#mayWrite = mayWrite;
  }

  /** Reads the newest, or the newest before a place. */
  async begin(db: Db, before?: EventPlace): Promise<TranscriptNews> {
    const newest = await readNewestEvents(db, this.#sessionId, {
      before,
      limit: PAGE_EVENTS,
    });
    const [oldest] = newest.slice(-1);
    return {
      ...await this.#take(db, newest.toReversed()),
      first: oldest && { turnId: oldest.turnId, seq: oldest.seq },
      hasOlder: oldest !== undefined &&
        !(oldest.turn === 1 && oldest.seq === 1),
    };
  }

  /**
   * Goes on where a page is that began with an event, and has shown all up to
   * another: what it shows and what it is told then fit together.
   */
  resume({ first, last }: {
    readonly first: EventPlace | undefined;
    readonly last: EventPlace | undefined;
  }): void {
    this.#place = first && { turnId: first.turnId, seq: first.seq - 1 };
    this.#known = last;
  }

  /** Reads what followed; `isOver` when there is nothing more for now. */
  async next(db: Db): Promise<
    Pick<TranscriptNews, "items" | "place"> & { readonly isOver: boolean }
  > {
    const events = await readEvents(db, this.#sessionId, {
      after: this.#place,
      limit: PAGE_EVENTS,
    });
    return {
      ...await this.#take(db, events),
      isOver: events.length === 0,
    };
  }

  #isNews({ turnId, seq }: EventPlace): boolean {
    const known = this.#known;
    return known === undefined || turnId > known.turnId ||
      (turnId === known.turnId && seq > known.seq);
  }

  async #take(
    db: Db,
    events: readonly TranscriptEvent[],
  ): Promise<Pick<TranscriptNews, "items" | "place">> {
    const fresh = [...new Set(events.map(({ turnId }) => turnId))]
      .filter((id) => !this.#turns.has(id));
    const turns = new Map<number, ListedTurn>();
    if (fresh.length > 0) {
      const limit = fresh.length;
      for (
        const turn of await listTurns(db, this.#sessionId, {
          limit,
          ids: fresh,
        })
      ) turns.set(turn.id, turn);
    }
    const transcript = this.#transcript ??= await this.#open(db);
    const items = new Map<string, Block | ListedTurn>();
    for (const event of events) {
      const turn = turns.get(event.turnId);
      const isNews = this.#isNews(event);
      if (turn !== undefined && !this.#turns.has(turn.id) && isNews) {
        items.set(`turn${turn.id}`, turn);
      }
      this.#turns.add(event.turnId);
      const block = transcript.take(event);
      if (block !== undefined && isNews) items.set(block.key, block);
    }
    const last = events.at(-1);
    if (last !== undefined) {
      this.#place = { turnId: last.turnId, seq: last.seq };
    }
    return {
      place: this.#place,
      items: [...items].map(([key, one]) => ({
        key,
        item: "ordinal" in one
          ? turnItem(one, this.#canFork ? this.#sessionId : undefined)
          : blockItem(one),
      })),
    };
  }

  async #open(db: Db): Promise<Transcript> {
    const session = await findSession(db, this.#sessionId);
    this.#canFork = this.#mayWrite && session?.drivenBy === "runner";
    // Agents say words as they come; any other program writes lines.
    return new Transcript({ isByLine: session?.agentRuntime === "command" });
  }
}
