/**
 * Whether two items say the same. Who stored it, its tags, its capitals and a
 * full stop make another item, and not another statement.
 *
 * @module
 */

import type { Hit } from "../item/rebuild.ts";

const END_REGEXP = /[\s.!…。．！"'”’»]+$/u;

/**
 * What items that say the same have in common. Of a text that was cut its
 * length counts as well.
 */
export function statementOf(
  { item, text, characters }: Pick<Hit, "item" | "text" | "characters">,
): string {
  const isCut = [...text].length < characters;
  const said = text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ")
    .replace(END_REGEXP, "").trimStart();
  return [item.kind, isCut ? characters : "", said].join("\n");
}
