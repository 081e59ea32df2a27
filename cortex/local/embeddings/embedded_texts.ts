/**
 * What of an event is embedded: each of its passages, below its title.
 *
 * The passages are those of the index, in its order, so that a vector and the
 * terms of one passage are found under the same number.
 *
 * @module
 */
import { passagesOf } from "../analyser/passages.ts";
import {
  type SearchedEvent,
  searchedPartsOf,
} from "../search/searched_parts.ts";

/** The longest title that stands above a passage, in UTF-16 units. */
const MAX_TITLE_LENGTH = 200;

/** The texts by the number of their passage; blank ones are left out. */
export function embeddedTextsOf(
  event: SearchedEvent,
): ReadonlyMap<number, string> {
  const { title, text, evidence } = searchedPartsOf(event);
  const head = title.slice(0, MAX_TITLE_LENGTH);
  const passages = [
    ...passagesOf(text),
    ...(evidence === "" ? [] : passagesOf(evidence)),
  ];
  return new Map(
    passages.flatMap((passage, part) => {
      const whole = `${head}\n${passage.text}`.trim().toWellFormed();
      return /[\p{L}\p{N}]/u.test(whole) ? [[part, whole] as const] : [];
    }),
  );
}
