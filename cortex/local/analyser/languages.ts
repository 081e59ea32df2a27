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
/** Words remembered with their stems; then the table begins anew. */
const MAX_STEMS = 20_000;

const stems = new Map<string, string>();
const hints = new Map<string, readonly (readonly Language[])[]>();
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
  const add = (languages: readonly Language[], worth: number): void => {
    for (const one of languages) {
      scores.set(one, (scores.get(one) ?? 0) + worth / languages.length);
    }
  };
  for (const word of words.slice(0, SAMPLE_WORDS)) {
    const known = stopWords.get(fold(word));
    if (known !== undefined) add(known, STOP_WORD);
    else for (const languages of hintsOf(word)) add(languages, HINT);
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
  const own = languageOfScript(word) ??
    (OF_A_SCRIPT.has(language) ? "en" : language);
  const key = `${own}${word}`;
  const known = stems.get(key);
  if (known !== undefined) return known;
  const stem = word.length < 3 || !canHaveStem(word)
    ? fold(word)
    : fold(STEMMERS[own](word)) || fold(word);
  if (stems.size >= MAX_STEMS) stems.clear();
  stems.set(key, stem);
  return stem;
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

/** Whether a lower-case word says nothing by itself in the language. */
export function isStopWord(word: string, language: Language): boolean {
  return stopWords.get(fold(word))?.includes(
    languageOfScript(word) ?? language,
  ) ?? false;
}

/** Languages that a word's letters and ending speak for. */
function hintsOf(word: string): readonly (readonly Language[])[] {
  if (word.length < 4) return [];
  const known = hints.get(word);
  if (known !== undefined) return known;
  const found = LETTERS.filter(([sign]) => sign.test(word))
    .map(([, languages]) => languages);
  if (hints.size >= MAX_STEMS) hints.clear();
  hints.set(word, found);
  return found;
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
