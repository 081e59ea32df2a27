/**
 * Text within a line of Markdown.
 *
 * What others wrote (titles, names, messages) is escaped where it is put in, so
 * that it reads as itself: it begins no line, and is no heading, bullet, quote,
 * link or emphasis. Written for models, who read the source, and for people,
 * who see it rendered.
 *
 * @module
 */
import { countCharacters } from "../render.ts";

/** Text within a line that is safe to be shown as it is. */
export class Inline {
  /** The Markdown. */
  readonly text: string;

  /** Takes Markdown of our own; others' text goes through {@link md}. */
  constructor(text: string) {
    this.text = text;
  }
}

/** What may be put into a template: text is escaped, {@link Inline} is not. */
export type Part = string | number | Inline;

/** A run of line ends, with the blanks around them. */
const LINE_ENDS_REGEXP = /\s*[\n\r\v\f\u0085\u2028\u2029]\s*/gu;

/** Controls, and what turns the direction of writing; not line end and tab. */
const UNSEEN_REGEXP = /(?![\n\t])[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;

/** Signs that mean something wherever they stand. */
const SIGNS_REGEXP = /[\\`*[\]<]|&(?=#?\w+;)/g;

/** Underscores that are not inside a word. */
const UNDERSCORES_REGEXP = /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** What begins a block: a heading, quote, bullet, number or fence. */
const OPENING_REGEXP = /^( *)([#>+=~|-]|[0-9]+(?=[.)]))/;

/** Builds a line: the template is ours, what is put in is shown as it is. */
export function md(
  strings: TemplateStringsArray,
  ...parts: readonly Part[]
): Inline {
  return new Inline(String.raw(
    { raw: strings },
    ...parts.map((part) => {
      if (part instanceof Inline) return part.text;
      return typeof part === "number" ? part : escapeText(part);
    }),
  ));
}

/** Joins lines to one, with text of ours between them. */
export function joined(lines: readonly Inline[], between: string): Inline {
  return new Inline(lines.map(({ text }) => text).join(between));
}

/** A text in quotation marks, which it cannot close. */
export function quoted(text: string): Inline {
  return new Inline(`"${escapeText(text).replaceAll('"', '\\"')}"`);
}

/** What is to be copied as it stands: an id, a cursor, a path of ours. */
export function code(text: string): Inline {
  return /^[\w./:?=&%+-]+$/.test(text)
    ? new Inline(`\`${text}\``)
    : new Inline(escapeText(text));
}

/**
 * The beginning of a text, and its real length where that is more. Brackets of
 * the text are escaped, so that it cannot claim a length itself.
 */
export function preview(text: string, limit: number): Inline {
  const beginning = [...text.slice(0, 2 * limit)].slice(0, limit).join("");
  const escaped = escapeText(beginning);
  if (beginning.length === text.length) return new Inline(escaped);
  return new Inline(
    `${escaped}… [${countCharacters(beginning)} of ${
      grouped(countCharacters(text))
    } characters]`,
  );
}

/** A number with its thousands apart. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** The text with a sign in the place of what nobody would see. */
export function withoutUnseen(text: string): string {
  return text.replace(UNSEEN_REGEXP, "\ufffd");
}

/** The text on one line, with nothing in it that Markdown would act on. */
export function escapeText(text: string): string {
  return withoutUnseen(text.replace(LINE_ENDS_REGEXP, " ⏎ "))
    .replaceAll("\t", " ")
    .replace(SIGNS_REGEXP, "\\$&")
    .replace(UNDERSCORES_REGEXP, "\\_")
    .replace(
      OPENING_REGEXP,
      (_all, blanks, sign) =>
        /^[0-9]/.test(sign) ? `${blanks}${sign}\\` : `${blanks}\\${sign}`,
    );
}
