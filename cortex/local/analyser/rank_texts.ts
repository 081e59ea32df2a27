/**
 * Ranking texts that are at hand, by the same measure as the index: what came
 * from several places is put into one order with it.
 *
 * @module
 */
import { pause } from "../../pause.ts";
import {
  type AnalysedQuery,
  type AnalysedText,
  analyseText,
  type QueryTerm,
} from "./analyser.ts";
import type { Language } from "./languages.ts";
import { type Passage, passagesOf } from "./passages.ts";
import {
  createRanker,
  type Field,
  FIELD_WEIGHTS,
  type Fit,
  type Occurrences,
} from "./rank.ts";

/** What of an item is searched. All but the text is short. */
export type Searchable = Partial<Readonly<Record<Field, string | undefined>>>;

/** An item with how well it fits. */
export interface RankedText<T> extends Fit {
  /** The item. */
  readonly candidate: T;
  /** The passage of its text that fits best. */
  readonly passage: Passage;
}

/** How much of a text is looked at, in UTF-16 units. */
const MAX_TEXT_LENGTH = 200_000;
const HEAD: readonly Field[] = ["title", "tags", "meta"];

/** A passage, or what an item has around its text, for one query. */
interface Share {
  readonly length: number;
  readonly occurrences: ReadonlyMap<string, Occurrences>;
}

interface Analysed<T> {
  readonly candidate: T;
  readonly head: Share;
  readonly passages: readonly (Share & { readonly passage: Passage })[];
}

/**
 * The candidates that share a word with the query that says something, best
 * first; equal ones in the order given. Looks at the first 200,000 units of
 * each text, and lets others have their turn meanwhile.
 */
export async function rankTexts<T>(
  query: AnalysedQuery,
  candidates: readonly T[],
  searchableOf: (candidate: T) => Searchable,
): Promise<readonly RankedText<T>[]> {
  const asked = new Set(
    query.terms.flatMap(({ alternatives }) => [...alternatives.keys()]),
  );
  const all: Analysed<T>[] = [];
  for (const candidate of candidates) {
    all.push(await analyse(candidate, searchableOf(candidate), asked));
  }
  const passages = all.flatMap((one) => one.passages);
  const rate = createRanker(query, {
    count: all.length,
    meanLength: passages.reduce((sum, { length }) => sum + length, 0) /
      Math.max(1, passages.length),
    frequency: (term) => all.filter((one) => holds(one, term)).length,
  });
  return all.map(({ candidate, head, passages }): RankedText<T> => {
    const [first, ...others] = passages.map((own) => ({
      candidate,
      passage: own.passage,
      ...rate({
        length: own.length,
        occurrences: (term) =>
          joined(own.occurrences.get(term), head.occurrences.get(term)),
      }),
    }));
    if (first === undefined) throw new TypeError("A text has a passage");
    return others.reduce((a, b) => b.score > a.score ? b : a, first);
  })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
}

async function analyse<T>(
  candidate: T,
  searchable: Searchable,
  asked: ReadonlySet<string>,
): Promise<Analysed<T>> {
  const passages = [];
  const text = (searchable.text ?? "").slice(0, MAX_TEXT_LENGTH);
  let language: Language | undefined;
  for (const passage of passagesOf(text)) {
    await pause();
    const analysed = analyseText(passage.text, { fallback: language });
    language ??= analysed.language;
    passages.push({ passage, ...shareOf(analysed, asked, "text") });
  }
  const head = new Map<string, Occurrences>();
  for (const field of HEAD) {
    const analysed = analyseText(searchable[field] ?? "", {
      fallback: language,
    });
    for (const [term, own] of shareOf(analysed, asked, field).occurrences) {
      const sum = joined(own, head.get(term));
      if (sum !== undefined) head.set(term, { ...sum, positions: [] });
    }
  }
  return { candidate, head: { length: 0, occurrences: head }, passages };
}

function shareOf(
  { terms, length }: AnalysedText,
  asked: ReadonlySet<string>,
  field: Field,
): Share {
  const occurrences = new Map<string, Occurrences>();
  for (const term of asked) {
    const positions = terms.get(term);
    if (positions === undefined) continue;
    const worth = positions.length * FIELD_WEIGHTS[field];
    occurrences.set(term, { worth, positions });
  }
  return { length, occurrences };
}

function joined(
  a: Occurrences | undefined,
  b: Occurrences | undefined,
): Occurrences | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { worth: a.worth + b.worth, positions: a.positions };
}

function holds<T>(one: Analysed<T>, { alternatives }: QueryTerm): boolean {
  return [...alternatives.keys()].some((term) =>
    one.head.occurrences.has(term) ||
    one.passages.some(({ occurrences }) => occurrences.has(term))
  );
}
