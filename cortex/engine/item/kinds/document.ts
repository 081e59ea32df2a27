/**
 * Documents: a text that is kept as it is, in pieces where it is long.
 *
 * @module
 */

import { countCharacters } from "../../../characters.ts";
import { fieldFault, textFault } from "../faults.ts";
import type { ItemMeta } from "../item.ts";
import type { ItemKind } from "../item_kind.ts";
import { text } from "../json.ts";
import { cutPieces } from "../pieces.ts";

/** A text that is kept as it is. */
export interface DocumentItem {
  /** Always `document`. */
  readonly kind: "document";
  /** Its heading. */
  readonly title?: string | undefined;
  /** Its text. */
  readonly body: string;
  /** Its media type. */
  readonly mime?: string | undefined;
  /** What is known beside it. */
  readonly meta: ItemMeta;
}

/** What is said of documents. */
export const DOCUMENT: ItemKind<DocumentItem> = {
  modality: "document",
  maxParts: 10_000,
  textOf: headed,
  leadOf({ envelope, text: beginning, characters }, place) {
    if (place > 0) return "";
    const heading = headingOf(text(envelope.title));
    const isCut = countCharacters(beginning) < characters;
    // The heading is part of the text, unless somebody else wrote that.
    const isThere = beginning.startsWith(heading) ||
      (isCut && heading.startsWith(beginning));
    return isThere ? "" : heading;
  },
  formOf: ({ title, body, mime }) => [title ?? null, body, mime ?? null],
  faultOf: ({ title, body, mime }) =>
    textFault("body", body) ?? fieldFault("title", title) ??
      fieldFault("mime", mime),
  partsOf(item) {
    const { title, mime } = item;
    // The heading is part of the text so that it is searched, too.
    return cutPieces(headed(item))
      .map((piece) => ({ text: piece, facts: { title, mime } }));
  },
  rebuild(parts, meta) {
    const [{ envelope }] = parts;
    const title = text(envelope.title);
    const whole = parts.map((part) => part.text).join("");
    const heading = headingOf(title);
    const body = whole.startsWith(heading)
      ? whole.slice(heading.length)
      : whole;
    return { kind: "document", title, body, mime: text(envelope.mime), meta };
  },
};

function headed({ title, body }: DocumentItem): string {
  return headingOf(title) + body;
}

/** What stands above a document that has a title. */
function headingOf(title: string | undefined): string {
  return title === undefined ? "" : `# ${title}\n\n`;
}
