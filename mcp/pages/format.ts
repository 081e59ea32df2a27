/**
 * How data becomes part of a page: texts, figures, sums of money, times and
 * JSON.
 *
 * Everything passes through `markup`, which escapes, so that data is never
 * markup. What a reader could not see, or what would rearrange the text around
 * it (controls, direction marks, invisible characters), is shown as the escape
 * that JSON has for it.
 *
 * @module
 */
import { type Html, markup } from "./markup.ts";

/** Larger JSON than this many characters is folded away. */
const OPEN_CHARACTERS = 600;
/** JSON that indentation would make longer than this is shown without it. */
const INDENTED_CHARACTERS = 128 * 1024;
/** Of what is folded away, so much is shown. */
const PREVIEW_CHARACTERS = 100;

/**
 * Controls, direction marks, unpaired surrogates and what has no shape. Marks
 * that choose an emoji's shape stay, and so do joiners within scripts that
 * need them: only after Latin letters, or first, they are a disguise.
 */
const INVISIBLE_REGEXP =
  /(?![\u200c\u200d\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<=^|[\0-\u036f])[\u200c\u200d]/gu;
/** Colours of terminals, and what clears the rest of their lines. */
// deno-lint-ignore no-control-regex -- what a terminal would obey
const TERMINAL_REGEXP = /\u001b\[[\d;]*[mK]/g;
/** Where texts may run from right to left. */
const MAY_BE_RTL_REGEXP =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\ud802-\ud83b]/;
/** A string of a JSON text, and the colon that makes it a name. */
const JSON_STRING_REGEXP = /("[^"\\]*(?:\\.[^"\\]*)*")(:)?/g;

const FIGURES = new Intl.NumberFormat("en-US");
const SIZES = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** A whole number with separators. */
export function figure(value: number): string {
  return FIGURES.format(value);
}

/** A number of bytes in the unit that fits. */
export function size(bytes: number): string {
  if (bytes < 1_024) return `${figure(bytes)} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes / 1_024;
  while (value >= 1_024 && units.length > 1) {
    value /= 1_024;
    units.shift();
  }
  return `${SIZES.format(value)} ${units[0]}`;
}

/** US dollars: four places below one dollar, so that a turn is not nothing. */
export function dollars(value: number): string {
  return new Intl.NumberFormat("en-US", {
    style: "currency",
    currency: "USD",
    maximumFractionDigits: value !== 0 && value < 1 ? 4 : 2,
  }).format(value);
}

/** A text that may hold anything, isolated from the text around it. */
export function text(value: string): Html {
  return visible(value, "");
}

/**
 * A text of several lines, for where white space is kept: line breaks and tabs
 * stay, and the colours of terminals are left out.
 */
export function longText(value: string): Html {
  const plain = value.replaceAll("\r\n", "\n").replace(TERMINAL_REGEXP, "");
  return visible(plain, "\n\t");
}

/** The text, with what has no shape shown, but for `kept`. */
function visible(value: string, kept: string): Html {
  const parts: (string | Html)[] = [];
  let at = 0;
  for (const match of value.matchAll(INVISIBLE_REGEXP)) {
    if (kept.includes(match[0])) continue;
    parts.push(value.slice(at, match.index));
    parts.push(
      markup`<span class="escape" title="A character without a shape">${
        escapeOf(match[0])
      }</span>`,
    );
    at = match.index + match[0].length;
  }
  parts.push(value.slice(at));
  return markup`<bdi>${parts}</bdi>`;
}

/** JSON with names and direction marked, folded away where it is large. */
export function json(value: unknown): Html {
  const compact = JSON.stringify(value);
  const indented = JSON.stringify(value, null, 2);
  const isIndented = indented.length <= INDENTED_CHARACTERS;
  const block = markup`<pre class="json" dir="ltr">${
    marked(isIndented ? indented : compact)
  }</pre>`;
  if (indented.length <= OPEN_CHARACTERS) return block;
  const note = isIndented ? "" : ", not indented for its length";
  return markup`<details><summary><code class="preview" dir="ltr">${
    marked(previewOf(compact))
  }</code> <span class="muted">${
    figure(compact.length)
  } characters${note}</span></summary>${block}</details>`;
}

/** A moment, exact and as its distance from `now`. */
export function time(moment: Date | string | null, now: number): Html {
  if (moment === null) return markup`<span class="muted">never</span>`;
  const date = new Date(moment);
  const iso = date.toISOString();
  const zone = markup`<abbr title="Coordinated Universal Time">UTC</abbr>`;
  const exact = iso.slice(0, 19).replace("T", " ");
  const away = distance(date.getTime() - now);
  return markup`<time datetime="${iso}">${exact} ${zone}</time> <span class="muted">(${away})</span>`;
}

/** How far away a moment is, in the largest unit that is not a fraction. */
export function distance(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  const [value, unit] = seconds < 60
    ? [seconds, "s"]
    : seconds < 3_600
    ? [Math.floor(seconds / 60), "min"]
    : seconds < 86_400
    ? [Math.floor(seconds / 3_600), "h"]
    : [Math.floor(seconds / 86_400), "d"];
  if (value === 0) return "now";
  return ms < 0
    ? `${figure(value)} ${unit} ago`
    : `in ${figure(value)} ${unit}`;
}

function previewOf(compact: string): string {
  const characters = [...compact.slice(0, PREVIEW_CHARACTERS * 2)];
  return `${characters.slice(0, PREVIEW_CHARACTERS).join("")}…`;
}

/** A JSON text whose names are marked and whose strings stay in their place. */
function marked(jsonText: string): (Html | string)[] {
  const parts: (Html | string)[] = [];
  let at = 0;
  for (const match of jsonText.matchAll(JSON_STRING_REGEXP)) {
    const [whole, string = "", colon] = match;
    const shown = string.replace(INVISIBLE_REGEXP, escapeOf);
    const isolated = MAY_BE_RTL_REGEXP.test(shown)
      ? markup`<bdi>${shown}</bdi>`
      : shown;
    parts.push(
      jsonText.slice(at, match.index),
      colon === undefined ? isolated : markup`<b>${isolated}</b>:`,
    );
    at = match.index + whole.length;
  }
  // A preview may end inside a string.
  const rest = jsonText.slice(at).replace(
    INVISIBLE_REGEXP,
    (one) => one === "\n" ? one : escapeOf(one),
  );
  return [...parts, rest];
}

/** The escapes of JSON: `\n` where there is one, else its code units. */
function escapeOf(character: string): string {
  const short = JSON.stringify(character).slice(1, -1);
  if (short.startsWith("\\")) return short;
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
