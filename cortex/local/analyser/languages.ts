/**
 * Languages: their stems, their stop words, and which one a text is in.
 *
 * Specification: docs/spec/recall.md section 1.
 *
 * @module
 */
import { stemmer as english } from "stemmer";
import { stemmer as arabic } from "@orama/stemmers/arabic";
import { stemmer as danish } from "@orama/stemmers/danish";
import { stemmer as dutch } from "@orama/stemmers/dutch";
import { stemmer as finnish } from "@orama/stemmers/finnish";
import { stemmer as french } from "@orama/stemmers/french";
import { stemmer as german } from "@orama/stemmers/german";
import { stemmer as greek } from "@orama/stemmers/greek";
import { stemmer as hungarian } from "@orama/stemmers/hungarian";
import { stemmer as italian } from "@orama/stemmers/italian";
import { stemmer as norwegian } from "@orama/stemmers/norwegian";
import { stemmer as portuguese } from "@orama/stemmers/portuguese";
import { stemmer as romanian } from "@orama/stemmers/romanian";
import { stemmer as russian } from "@orama/stemmers/russian";
import { stemmer as spanish } from "@orama/stemmers/spanish";
import { stemmer as swedish } from "@orama/stemmers/swedish";
import { stemmer as turkish } from "@orama/stemmers/turkish";
import { fold } from "./fold.ts";
import { STOP_WORDS } from "./stop_words.ts";

/** Stems of the languages that are told apart. */
const STEMMERS = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  it: italian,
  pt: portuguese,
  nl: dutch,
  sv: swedish,
  no: norwegian,
  da: danish,
  fi: finnish,
  hu: hungarian,
  ro: romanian,
  tr: turkish,
  ru: russian,
  el: greek,
  ar: arabic,
} as const;

/** A language that has stems. */
export type Language = keyof typeof STEMMERS;

const LANGUAGES = Object.keys(STEMMERS) as readonly Language[];

/** Languages with scripts of their own: one stemmer each. */
const SCRIPTS: readonly (readonly [RegExp, Language])[] = [
  [/\p{Script=Cyrillic}/u, "ru"],
  [/\p{Script=Greek}/u, "el"],
  [/\p{Script=Arabic}/u, "ar"],
];
const OF_A_SCRIPT = new Set(SCRIPTS.map(([, language]) => language));
const LATIN = LANGUAGES.filter((one) => !OF_A_SCRIPT.has(one));
const LATIN_REGEXP = /^[\p{Script=Latin}\p{M}]+$/u;

/** Letters that some languages have and others do not. */
const LETTERS: readonly (readonly [RegExp, readonly Language[]])[] = [
  [/ß/u, ["de"]],
  [/[äü]/u, ["de", "sv", "fi", "tr", "hu"]],
  [/ñ/u, ["es"]],
  [/[ãõ]/u, ["pt"]],
  [/[èêùû]/u, ["fr"]],
  [/ç/u, ["fr", "pt", "tr"]],
  [/[æø]/u, ["da", "no"]],
  [/å/u, ["sv", "no", "da"]],
  [/[őű]/u, ["hu"]],
  [/[ğşı]/u, ["tr"]],
  [/[ășțş]/u, ["ro"]],
  [/(?:ung|keit|heit|schaft|lich)(?:en|e)?$/u, ["de"]],
  [/(?:ción|ciones|mente|dad)$/u, ["es"]],
  [/(?:ções|ção|dade)$/u, ["pt"]],
  [/(?:zione|zioni|mente)$/u, ["it"]],
  [/(?:eux|euse|ement|eaux|oir)$/u, ["fr"]],
  [/(?:ing|tion|ness|ly|ed)$/u, ["en"]],
];

/** Words that are looked at to tell a text's language. */
const SAMPLE_WORDS = 200;
/** What a stop word counts, and what an ending or a letter does. */
const STOP_WORD = 1.5;
const HINT = 0.5;
/** Words that are remembered; then the table begins anew. */
const MAX_WORDS = 20_000;

/** What is known of a word in lower case. */
interface KnownWord {
  /** Without its accents. */
  readonly plain: string;
  /** The language of its script, where that has one. */
  readonly script: Language | undefined;
  /** Languages in which it says nothing by itself. */
  readonly stopIn: readonly Language[];
  /** Languages that it speaks for, and how much for each. */
  readonly signs: readonly Sign[];
  /** Its stems, as far as they were asked for. */
  readonly stems: Partial<Record<Language, string>>;
}

interface Sign {
  readonly languages: readonly Language[];
  readonly worth: number;
}

const knownWords = new Map<string, KnownWord>();
const stopWords = readStopWords();

/**
 * The language that words in lower case are in; the fallback, English if none
 * is given, where they do not say.
 */
export function languageOf(
  words: readonly string[],
  fallback: Language = "en",
): Language {
  const scores = new Map<Language, number>();
  for (const word of words.slice(0, SAMPLE_WORDS)) {
    for (const { languages, worth } of knownWord(word).signs) {
      for (const one of languages) {
        scores.set(one, (scores.get(one) ?? 0) + worth);
      }
    }
  }
  const [best, second] = [...scores].sort(([, a], [, b]) => b - a);
  if (best === undefined || best[1] < HINT) return fallback;
  const margin = best[1] - (second?.[1] ?? 0);
  return margin > 0.1 * best[1] ? best[0] : (scores.get(fallback) ?? 0) >=
      best[1] * 0.9
    ? fallback
    : best[0];
}

/** The stem of a lower-case word, without accents. */
export function stemOf(word: string, language: Language): string {
  const known = knownWord(word);
  return known.stems[language] ??= readStem(word, known, language);
}

/** Whether a lower-case word says nothing by itself in the language. */
export function isStopWord(word: string, language: Language): boolean {
  const { stopIn, script } = knownWord(word);
  return stopIn.length > 0 && stopIn.includes(script ?? language);
}

function knownWord(word: string): KnownWord {
  const known = knownWords.get(word);
  if (known !== undefined) return known;
  const read = readWord(word);
  if (knownWords.size >= MAX_WORDS) knownWords.clear();
  knownWords.set(word, read);
  return read;
}

function readWord(word: string): KnownWord {
  const plain = fold(word);
  const stopIn = stopWords.get(plain) ?? [];
  return {
    plain,
    script: languageOfScript(word),
    stopIn,
    signs: stopIn.length > 0
      ? [{ languages: stopIn, worth: STOP_WORD / stopIn.length }]
      : hintsOf(word),
    stems: {},
  };
}

/** Languages that a word's letters and ending speak for. */
function hintsOf(word: string): readonly Sign[] {
  if (word.length < 4) return [];
  return LETTERS.filter(([sign]) => sign.test(word)).map(([, languages]) => ({
    languages,
    worth: HINT / languages.length,
  }));
}

function readStem(
  word: string,
  { plain, script }: KnownWord,
  language: Language,
): string {
  if (word.length < 3 || !canHaveStem(word)) return plain;
  const own = script ?? (OF_A_SCRIPT.has(language) ? "en" : language);
  return fold(STEMMERS[own](word)) || plain;
}

/**
 * Every stem that a lower-case word may be indexed under, whatever language its
 * text was taken for; the given language's first.
 */
export function stemsOf(
  word: string,
  language: Language,
): readonly string[] {
  const languages = languageOfScript(word) === undefined
    ? [language, ...LATIN]
    : [language];
  return [...new Set(languages.map((one) => stemOf(word, one)))];
}

function languageOfScript(word: string): Language | undefined {
  if (word.charCodeAt(0) < 0x370) return undefined;
  return SCRIPTS.find(([script]) => script.test(word))?.[1];
}

/** Whether the word is made of letters that some stemmer knows. */
function canHaveStem(word: string): boolean {
  return LATIN_REGEXP.test(word) || languageOfScript(word) !== undefined;
}

function readStopWords(): ReadonlyMap<string, readonly Language[]> {
  const found = new Map<string, Language[]>();
  for (const language of LANGUAGES) {
    for (const word of new Set(STOP_WORDS[language].map(plain))) {
      found.set(word, [...(found.get(word) ?? []), language]);
    }
  }
  return found;
}

/** As a text's words are cut: without apostrophes. */
function plain(word: string): string {
  return fold(word.toLowerCase().replace(/['’]/gu, ""));
}
