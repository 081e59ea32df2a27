/**
 * An event that fits, and the order of such.
 *
 * @module
 */

/** An event that fits. */
export interface SearchHit {
  /** The event. */
  readonly id: string;
  /** Relevance, from 0 to 1. */
  readonly score: number;
  /** Share of the query that it covers, from 0 to 1. */
  readonly coverage: number;
  /** Words of the query that it has. */
  readonly words: readonly string[];
  /** How like the query's meaning its own is, from 0 to 1; 0 where nobody knows. */
  readonly likeness: number;
  /** Where the passage begins that does, in characters; undefined: beside it. */
  readonly from: number | undefined;
  /** How many characters the passage has. */
  readonly characters: number;
}

/** The same, with what decides between equals. */
export interface RankedHit extends SearchHit {
  /** When it happened, RFC 3339. */
  readonly observedAt: string;
}

/** Scores nearer than this are equal: the newer event comes first. */
const TIE = 0.002;

/** Hits, best first. */
export function inOrder(hits: readonly RankedHit[]): readonly SearchHit[] {
  return hits.toSorted((a, b) =>
    Math.round(b.score / TIE) - Math.round(a.score / TIE) ||
    b.observedAt.localeCompare(a.observedAt)
  ).map(({ observedAt: _, ...hit }) => hit);
}
