/**
 * How large a pattern becomes when its repetitions are written out, told from
 * its text alone: compiling it to find out is what must not happen.
 *
 * @module
 */

/** Most characters of one pattern. */
export const MAX_PATTERN_CHARS = 4_096;

/** What compiling a pattern will take. */
export interface PatternSize {
  /** Instructions, about: the compiler may need fewer. */
  readonly instructions: number;
  /** Unicode properties, each a table of hundreds of ranges. */
  readonly properties: number;
}

// Escape, class, quantifier, group, or any other character.
// What is not closed is one token to the end, so that all stays linear.
const TOKEN_REGEXP =
  /\\(?:[pPu]\{[^}]*(?:\}|$)|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|.)|\[(?:\\.|[^\]\\])*(?:\]|$)|[*+?]\??|\{(\d+)(,(\d*))?\}\??|\((?:\?(?::|<[^>]*(?:>|$)|[=!]))?|[)|]|./gisu;
const PROPERTY_REGEXP = /\\(?:([pP]\{)|.)/gs;

/** A group that is open: what it holds so far, and its last part. */
interface Group {
  before: number;
  last: number;
}

/** Measures a pattern; total, and linear in its text. */
export function measurePattern(pattern: string): PatternSize {
  const open: Group[] = [{ before: 0, last: 0 }];
  for (const [token, least, isRange, most] of pattern.matchAll(TOKEN_REGEXP)) {
    const group = open.at(-1);
    if (group === undefined) break;
    if (least !== undefined) {
      const bound = isRange === undefined ? least : most;
      group.last = repeat(group.last, Number(least), Number(bound || Infinity));
    } else if (/^[*+?]/.test(token)) {
      group.last++;
    } else if (token.startsWith("(")) {
      open.push({ before: 0, last: 0 });
    } else if (token === ")") {
      open.pop();
      add(open.at(-1), group.before + group.last);
    } else {
      // An alternative takes one more, and nothing repeats it.
      add(group, 1);
      if (token === "|") add(group, 0);
    }
  }
  const instructions = open.reduce(
    (sum, { before, last }) => sum + before + last,
    0,
  );
  return { instructions, properties: countProperties(pattern) };
}

/** Instructions of a part that is repeated; open ranges end in a loop. */
function repeat(size: number, least: number, most: number): number {
  if (most === Infinity) return Math.max(least, 1) * size + 1;
  return least * size + Math.max(most - least, 0) * (size + 1);
}

function add(group: Group | undefined, size: number): void {
  if (group === undefined) return;
  group.before += group.last;
  group.last = size;
}

function countProperties(pattern: string): number {
  let count = 0;
  for (const [, property] of pattern.matchAll(PROPERTY_REGEXP)) {
    if (property !== undefined) count++;
  }
  return count;
}
