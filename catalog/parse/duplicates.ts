/**
 * Names that stand twice in one object of a JSON text.
 *
 * The parser of the engine keeps the last and says nothing, so an entry or a
 * retention would be gone without a word. Linear in the text, without recursion;
 * the text must have been parsed before.
 *
 * @module
 */

import type { IgnoredList } from "./ignored.ts";
import { cutText } from "./problems.ts";

/** Most that are told one by one. */
export const MAX_DUPLICATES = 100;

// A pointer is cut anyway; a path of a million steps is not copied each time.
const MAX_PATH_STEPS = 100;
const TOKEN_REGEXP = /["{}[\],\n]/g;

/** One name that stands twice. */
export interface Duplicate {
  /** Path to the member. */
  readonly path: readonly (string | number)[];
  /** What is wrong, for people. */
  readonly reason: string;
}

/** Those of one text. */
export interface Duplicates {
  /** The first of them, in the order of the text. */
  readonly items: readonly Duplicate[];
  /** How many there are. */
  readonly total: number;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** An object or list that is open. */
interface Open {
  /** Where each name stands last; undefined in a list. */
  readonly names: Map<string, Position> | undefined;
  step: string | number;
  /** The next text is a name. */
  isNameDue: boolean;
}

/** Lists duplicate names in the order of the text, and how many there are. */
export function findDuplicates(text: string): Duplicates {
  const items: Duplicate[] = [];
  let total = 0;
  const open: Open[] = [];
  let line = 1;
  let lineStart = 0;
  const tokens = new RegExp(TOKEN_REGEXP);
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const { index } = found;
    const top = open.at(-1);
    switch (found[0]) {
      case "\n":
        line++;
        lineStart = index + 1;
        break;
      case "{":
        open.push({ names: new Map(), step: "", isNameDue: true });
        break;
      case "[":
        open.push({ names: undefined, step: 0, isNameDue: false });
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (top === undefined) break;
        top.isNameDue = top.names !== undefined;
        if (typeof top.step === "number") top.step++;
        break;
      default: {
        const end = findEnd(text, index);
        tokens.lastIndex = end;
        if (top?.names === undefined || !top.isNameDue) break;
        top.isNameDue = false;
        const name = readText(text, index, end);
        const here = { line, column: index - lineStart + 1 };
        const earlier = top.names.get(name);
        top.names.set(name, here);
        top.step = name;
        if (earlier === undefined || ++total > MAX_DUPLICATES) break;
        const path = open.slice(0, MAX_PATH_STEPS).map(({ step }) => step);
        items.push({ path, reason: describe(name, earlier, here) });
      }
    }
  }
  return { items, total };
}

/** Reports the duplicates of a document as what was left out of it. */
export function reportDuplicates(
  { items, total }: Duplicates,
  source: string,
  ignored: IgnoredList,
): void {
  for (const { path, reason } of items) ignored.add({ source, path }, reason);
  const rest = total - items.length;
  if (rest > 0) {
    ignored.add({ source, path: [] }, `And ${rest} more duplicate names`);
  }
}

/** Where the text that begins with a quote ends. */
function findEnd(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function readText(text: string, start: number, end: number): string {
  const raw = text.slice(start, end);
  return raw.includes("\\") ? JSON.parse(raw) : raw.slice(1, -1);
}

function describe(name: string, first: Position, second: Position): string {
  const isOneLine = first.line === second.line;
  const say = ({ line, column }: Position) =>
    isOneLine ? `line ${line}, character ${column}` : `line ${line}`;
  return `Duplicate name: ${JSON.stringify(cutText(name, 80))} stands in ${
    say(first)
  } and in ${say(second)} of one object; the last one counts, what the ` +
    "earlier one says is not used";
}
