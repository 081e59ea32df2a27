/**
 * The one analyser: what an index holds of a text, and what a query looks for.
 *
 * Pure, and short for short texts: a passage takes about a millisecond. Whoever
 * analyses many awaits `pause()` between two of them.
 *
 * Specification: docs/spec/recall.md section 1.
 *
 * @module
 */
import { fold, lower } from "./fold.ts";
import {
  isStopWord,
  type Language,
  languageOf,
  stemOf,
  stemsOf,
} from "./languages.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** Changes with what is made of a text: an index of another one is rebuilt. */
export const ANALYSER_VERSION = 1;

/** A text as an index holds it. */
export interface AnalysedText {
  /** The language that its stems are of. */
  readonly language: Language;
  /** How many words it has, those that say nothing not counted. */
  readonly length: number;
  /** Places of each term among the words, ascending, from 0. */
  readonly terms: ReadonlyMap<string, readonly number[]>;
}

/** One thing that a query looks for. */
export interface QueryTerm {
  /** As it was asked, in lower case and without accents. */
  readonly word: string;
  /** Terms that satisfy it, and how well each does, up to 1. */
  readonly alternatives: ReadonlyMap<string, number>;
  /** How much it counts beside others: 1 for a word. */
  readonly weight: number;
  /** Whether it is written as a name is: that puts a text first which has it. */
  readonly isName: boolean;
  /** Its place among the words of the query. */
  readonly position: number;
  /** Says nothing by itself: counts in phrases only. */
  readonly isStop: boolean;
  /** Counts where it is found, and is not missed where it is not. */
  readonly isBonus: boolean;
}

/** A query as it is looked for. */
export interface AnalysedQuery {
  /** The language that it was taken for. */
  readonly language: Language;
  /** What it looks for, in its order. */
  readonly terms: readonly QueryTerm[];
}

/** How well a stem of another language than the query's satisfies a word. */
const FOREIGN_STEM = 0.9;
/** A word with a capital that does not begin a sentence. */
const NAMES_REGEXP = /(?<=[\p{L}\p{N},;:]\s+)\p{Lu}[\p{Ll}\p{M}]+/gu;
/** What a single character counts beside a word that it is part of. */
const CHARACTER = 0.3;
/** How well a character satisfies an inflected word that is written with it. */
const INFLECTED = 0.7;

/** Analyses a text, or a passage of one. */
export function analyseText(
  text: string,
  { fallback = "en" }: { readonly fallback?: Language | undefined } = {},
): AnalysedText {
  const tokens = tokensOf(text);
  const language = languageOf(wordsOf(tokens), fallback);
  const terms = new Map<string, number[]>();
  let length = 0;
  for (const token of tokens) {
    const { word, kind, position } = token;
    const isSpaced = kind === "word" || kind === "joined";
    const term = isSpaced ? stemOf(word, language) : word;
    if (term === "") continue;
    const places = terms.get(term);
    if (places === undefined) terms.set(term, [position]);
    else if (places.at(-1) !== position) places.push(position);
    if (kind !== "joined" && !isStop(token, language)) length++;
  }
  return { language, length, terms };
}

/** Analyses a query. */
export function analyseQuery(query: string): AnalysedQuery {
  const tokens = tokensOf(query);
  const language = languageOf(wordsOf(tokens));
  const segments = Map.groupBy(
    tokens.filter(({ segment }) => segment !== undefined),
    ({ segment }) => segment,
  );
  const names = new Set(
    Array.from(query.matchAll(NAMES_REGEXP), ([name]) => lower(name)),
  );
  const done = new Set<number>();
  const terms = tokens.flatMap((token): readonly QueryTerm[] => {
    const { segment, kind, word, position } = token;
    if (segment !== undefined) {
      if (done.has(segment)) return [];
      done.add(segment);
      return termsOfSegment(segments.get(segment) ?? []);
    }
    if (kind === "gram") {
      return [termOf(token, [word], { weight: CHARACTER, isBonus: true })];
    }
    const stems = stemsOf(word, language)
      .filter((stem, index) => index === 0 || isUseful(stem, word));
    const alternatives = new Map(
      stems.map((stem, index) => [stem, index === 0 ? 1 : FOREIGN_STEM]),
    );
    return [{
      word: fold(word),
      alternatives,
      weight: kind === "joined" ? 0.5 : 1,
      isName: names.has(word),
      position,
      isStop: kind === "word" && isStop(token, language),
      isBonus: kind === "joined",
    }];
  });
  return { language, terms: withoutRepeats(terms) };
}

/** Whether anything is asked for that says something by itself. */
export function hasContent({ terms }: AnalysedQuery): boolean {
  return terms.some(({ isStop, isBonus }) => !isStop && !isBonus);
}

function wordsOf(tokens: readonly Token[]): readonly string[] {
  return tokens.filter(({ kind }) => kind === "word").map(({ word }) => word);
}

function isStop({ word, isStop }: Token, language: Language): boolean {
  return isStop ?? isStopWord(word, language);
}

/** A stem that leaves too little of a word is one of another language. */
function isUseful(stem: string, word: string): boolean {
  return stem.length >= Math.max(3, Math.ceil(word.length * 0.6));
}

/** One word of a script without spaces: its pairs of characters count. */
function termsOfSegment(tokens: readonly Token[]): readonly QueryTerm[] {
  const whole = tokens.find(({ kind }) => kind === "segment");
  const grams = tokens.filter(({ kind }) => kind === "gram");
  const pairs = grams.filter(({ word }) => [...word].length > 1);
  const single = grams.filter(({ word }) => [...word].length === 1);
  if (whole !== undefined) {
    const [only, ...others] = single;
    const near = only !== undefined && others.length === 0 ? [only.word] : [];
    return [
      termOf(whole, [whole.word, ...near], {}),
      ...pairs.map((one) => termOf(one, [one.word], { isBonus: true })),
    ];
  }
  if (pairs.length === 0) {
    return single.map((one) => termOf(one, [one.word], {}));
  }
  return [
    ...pairs.map((one) =>
      termOf(one, [one.word], { weight: 1 / Math.sqrt(pairs.length) })
    ),
    ...single.map((one) =>
      termOf(one, [one.word], { weight: CHARACTER, isBonus: true })
    ),
  ];
}

function termOf(
  token: Token,
  words: readonly string[],
  { weight = 1, isBonus = false }: {
    readonly weight?: number;
    readonly isBonus?: boolean;
  },
): QueryTerm {
  return {
    word: token.word,
    alternatives: new Map(
      words.map((word, index) => [word, index === 0 ? 1 : INFLECTED]),
    ),
    weight,
    isName: false,
    position: token.position,
    isStop: token.isStop === true,
    isBonus,
  };
}

/** A word that is asked twice is looked for once, at its first place. */
function withoutRepeats(
  terms: readonly QueryTerm[],
): readonly QueryTerm[] {
  const seen = new Set<string>();
  return terms.filter(({ alternatives, isBonus }) => {
    const [first = ""] = alternatives.keys();
    const key = `${isBonus}${first}`;
    return !seen.has(key) && seen.add(key);
  });
}
