/**
 * The grammar of one `type:id` segment, read in place inside a longer text.
 *
 * Nothing here allocates for a good segment, and every function looks at each
 * character at most once: paths come from strangers and may be megabytes long.
 *
 * @module
 */

import { quote } from "../errors.ts";

/** What is wrong with a text, and where. */
export interface Fault {
  /** What is wrong there. */
  readonly reason: string;
  /** Where it begins, in UTF-16 code units. */
  readonly offset: number;
}

/** Which types and how long an id a segment may have. */
export interface SegmentRule {
  /** What such a segment is called in a message: "node", "root". */
  readonly what: string;
  /** The types, compared exactly. */
  readonly types: readonly string[];
  /** The longest id. */
  readonly maxId: number;
}

/** 1 at the code of every character an id may hold: `A-Z a-z 0-9 _ -`. */
const IS_ID_CODE = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "0123456789_-") {
  IS_ID_CODE[char.charCodeAt(0)] = 1;
  IS_ID_CODE[char.toLowerCase().charCodeAt(0)] = 1;
}

/** Where the segment that begins at `start` ends: at its `/` or the text's end. */
export function segmentEnd(text: string, start: number): number {
  const slash = text.indexOf("/", start);
  return slash < 0 ? text.length : slash;
}

/** What is wrong with the segment `text[start, end)`, or undefined. */
export function segmentFault(
  text: string,
  start: number,
  end: number,
  rule: SegmentRule,
): Fault | undefined {
  if (start >= end) return { reason: "a segment is empty", offset: start };
  const colon = text.indexOf(":", start);
  if (colon < 0 || colon >= end) {
    const segment = quote(text.slice(start, end));
    return { reason: `segment ${segment} has no ":"`, offset: start };
  }
  if (!hasType(text, start, colon, rule)) {
    const type = text.slice(start, colon);
    const known = rule.types.join(" ");
    const reason = `${quote(type)} is no ${rule.what} type; types: ${known}`;
    return { reason, offset: start };
  }
  return idFault(text, colon + 1, end, rule);
}

function idFault(
  text: string,
  start: number,
  end: number,
  rule: SegmentRule,
): Fault | undefined {
  if (start === end) return { reason: "an id is empty", offset: start };
  const stop = Math.min(end, start + rule.maxId);
  for (let at = start; at < stop; at++) {
    if (IS_ID_CODE[text.charCodeAt(at)] === 1) continue;
    const char = quote(String.fromCodePoint(text.codePointAt(at) ?? 0));
    const reason = `an id holds ${char}; allowed: A-Z a-z 0-9 _ -`;
    return { reason, offset: at };
  }
  if (stop === end) return undefined;
  const reason = `an id has ${end - start} characters, the most is ` +
    `${rule.maxId}`;
  return { reason, offset: stop };
}

/** Compared in place: cutting the type out costs more than seven looks. */
function hasType(
  text: string,
  start: number,
  colon: number,
  rule: SegmentRule,
): boolean {
  const length = colon - start;
  return rule.types.some((type) =>
    type.length === length && text.startsWith(type, start)
  );
}
