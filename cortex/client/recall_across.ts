/**
 * Recall over many scopes at once: a route of the local service that CortexDB
 * itself has not. Whoever asks has to do without it where it is not there.
 *
 * Specification: docs/spec/recall.md section 4.
 *
 * @module
 */
import type { ScopePath } from "../layout/scope.ts";
import type { AnswerPart } from "./answer_part.ts";
import type { PackId, StoredEvent } from "./wire.ts";
import { decodeEvent } from "./wire_decode.ts";

/** The most scopes of one recall. */
export const MAX_SCOPES_ACROSS = 10_000;

/** What to find in some scopes. */
export interface RecallAcrossQuery {
  /** The scopes, each read exactly; 1 to 10,000, all below one root. */
  readonly scopes: readonly ScopePath[];
  /** What to look for. */
  readonly query: string;
  /** The most events, up to 200. */
  readonly maxEvents: number;
  /** Keeps events with any of these labels. */
  readonly labels?: readonly string[] | undefined;
  /** Only so many characters of each text; whole texts when left out. */
  readonly textLimit?: number | undefined;
}

/** The stretch of an event's text that fits best. */
export interface FoundPassage {
  /** Where it begins in the text, in characters. */
  readonly from: number;
  /** It. */
  readonly text: string;
}

/** Why an event fits as well as it does. */
export interface FitReasons {
  /** Share of the query that it covers, from 0 to 1. */
  readonly coverage: number;
  /** Words of the query that it has, as they are looked for. */
  readonly words: readonly string[];
  /** How like the query's meaning its own is, from 0 to 1; 0 where nobody knows. */
  readonly likeness: number;
}

/** An event with how well it fits. */
export interface RankedEvent extends FitReasons {
  /** The event. */
  readonly event: StoredEvent;
  /** Relevance from 0 to 1, comparable over all scopes of the recall. */
  readonly score: number;
  /** Where it does, unless its title or the like alone does. */
  readonly passage: FoundPassage | undefined;
}

/** A word of the query that stands nowhere, and what was looked for instead. */
export interface RepairedWord {
  /** The word, as asked. */
  readonly word: string;
  /** Words that are like it; none: nothing is. */
  readonly instead: readonly string[];
}

/** What was found. */
export interface RankedPack {
  /** Names the pack to `answer`, together with any of the scopes. */
  readonly packId: PackId;
  /** Best first. */
  readonly ranked: readonly RankedEvent[];
  /** Whether more events fit than were asked for. */
  readonly hasMore: boolean;
  /** Words that nothing has. */
  readonly repaired: readonly RepairedWord[];
  /** Events of the same root that are not indexed yet; they may be missing. */
  readonly unindexed: number;
}

/** The body of such a recall. */
export function toRecallAcross(
  { scopes, query, maxEvents, labels = [] }: RecallAcrossQuery,
): Record<string, unknown> {
  return {
    scopes,
    query,
    limit: maxEvents,
    ...(labels.length === 0 ? {} : { filters: { metadata: { labels } } }),
  };
}

/** Reads what was found. */
export function decodeRankedPack(
  part: AnswerPart,
  textLimit?: number,
): RankedPack {
  return {
    packId: part.field("pack_id").text() as PackId, // As answered.
    ranked: part.field("items").list().map((item): RankedEvent => {
      const passage = item.field("passage");
      const likeness = item.field("likeness");
      return {
        event: decodeEvent(item.field("event"), textLimit),
        score: item.field("score").share(),
        coverage: item.field("coverage").share(),
        words: item.field("words").optionalList().map((word) => word.text()),
        likeness: likeness.isAbsent ? 0 : likeness.share(),
        passage: passage.isAbsent ? undefined : {
          from: passage.field("from").optionalCount() ?? 0,
          text: passage.field("text").text(),
        },
      };
    }),
    hasMore: part.field("has_more").isTrue(),
    repaired: part.field("repaired").optionalList().map((one) => ({
      word: one.field("word").text(),
      instead: one.field("instead").list().map((word) => word.text()),
    })),
    unindexed: part.field("unindexed").optionalCount() ?? 0,
  };
}
