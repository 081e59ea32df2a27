/**
 * What the index holds of an event.
 *
 * Specification: docs/spec/recall.md sections 1 and 2.
 *
 * @module
 */
import { countCharacters } from "../../characters.ts";
import { pause } from "../../pause.ts";
import {
  type AnalysedText,
  ANALYSER_VERSION,
  analyseText,
} from "../analyser/analyser.ts";
import type { Language } from "../analyser/languages.ts";
import { passagesOf } from "../analyser/passages.ts";
import type { LogField, LogIndexEntry, LogPassage, LogPlace } from "../port.ts";
import { type SearchedEvent, searchedPartsOf } from "./searched_parts.ts";

/** Where the places of what is around a text begin: far from its own. */
const HEAD_PLACES = { title: 10_000, tags: 12_000, meta: 14_000 } as const;
const MAX_FIELD_PLACES = 1_900;
/** Longest part around a text that is read as one. */
const MAX_HEAD_LENGTH = 8_000;
const KNOWN_REGEXP =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]{4,32}$/u;

/** Analyses an event; lets others have their turn between two passages. */
export async function indexEntryOf(
  event: SearchedEvent,
): Promise<LogIndexEntry> {
  const parts = searchedPartsOf(event);
  const found: LogPassage[] = [];
  const known = new Set<string>();
  let language: Language | undefined;
  let from = 0;
  for (const { text } of passagesOf(parts.text)) {
    await pause();
    const analysed = analyseText(text, { fallback: language });
    language ??= analysed.language;
    const characters = countCharacters(text);
    found.push({
      from: parts.isTextOfContent ? from : undefined,
      characters,
      length: analysed.length,
      terms: placesOf(analysed, "text"),
    });
    addKnown(known, analysed);
    from += characters;
  }
  const head = new Map(found[0]?.terms);
  for (const field of ["title", "tags", "meta"] as const) {
    const text = parts[field].slice(0, MAX_HEAD_LENGTH);
    if (text === "") continue;
    await pause();
    const analysed = analyseText(text, { fallback: language });
    for (const [term, places] of placesOf(analysed, field)) {
      head.set(term, [...head.get(term) ?? [], ...places]);
    }
    addKnown(known, analysed);
  }
  if (found[0] !== undefined) found[0] = { ...found[0], terms: head };
  if (parts.evidence !== "") {
    for (const { text } of passagesOf(parts.evidence)) {
      await pause();
      const analysed = analyseText(text, { fallback: language });
      found.push({
        from: undefined,
        characters: countCharacters(text),
        length: analysed.length,
        terms: placesOf(analysed, "meta"),
      });
      addKnown(known, analysed);
    }
  }
  return {
    analyser: ANALYSER_VERSION,
    passages: found,
    known: [...known],
  };
}

function placesOf(
  { terms }: AnalysedText,
  field: LogField,
): ReadonlyMap<string, readonly LogPlace[]> {
  const first = field === "text" ? 0 : HEAD_PLACES[field];
  const most = field === "text" ? HEAD_PLACES.title : MAX_FIELD_PLACES;
  return new Map(
    [...terms].map(([term, places]) => [
      term,
      places.map((at) => ({ at: first + Math.min(at, most), field })),
    ]),
  );
}

/** Terms that a misspelt word may stand for: words, and no numbers. */
function addKnown(known: Set<string>, { terms }: AnalysedText): void {
  for (const term of terms.keys()) {
    if (KNOWN_REGEXP.test(term)) known.add(term);
  }
}
