/**
 * What changed between two texts, by lines.
 *
 * @module
 */
import { diffArrays } from "diff";

/** A line of a difference. */
export interface DiffLine {
  /** Whether it is in both, in the old text, or in the new one. */
  readonly kind: "same" | "old" | "new";
  /** The line, without its end. */
  readonly text: string;
}

/** Lines between two changes that are in both and are not shown. */
export interface DiffGap {
  /** Tells it from lines. */
  readonly kind: "gap";
  /** How many. */
  readonly lines: number;
}

/**
 * Lines taken out and added at most: what it takes to find them grows with their
 * square, and a page may show many differences.
 */
const MAX_EDITS = 400;
/** Lines around a change that are shown. */
const CONTEXT = 3;

/**
 * The lines that differ, with a few around each change; undefined where more
 * differ than are looked for.
 */
export function diffLines(
  before: string,
  after: string,
): readonly (DiffLine | DiffGap)[] | undefined {
  const [a, b] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (
    tail < a.length - head && tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) tail++;
  const changed = between(
    a.slice(head, a.length - tail),
    b.slice(head, b.length - tail),
  );
  if (changed === undefined) return undefined;
  const around = (lines: readonly string[]) =>
    lines.map((text): DiffLine => ({ kind: "same", text }));
  return [
    ...around(a.slice(Math.max(0, head - CONTEXT), head)),
    ...folded(changed),
    ...around(a.slice(a.length - tail, a.length - tail + CONTEXT)),
  ];
}

/** Leaves out what is far from both changes that it lies between. */
function folded(lines: readonly DiffLine[]): readonly (DiffLine | DiffGap)[] {
  const shown: (DiffLine | DiffGap)[] = [];
  for (let at = 0; at < lines.length;) {
    const kind = lines[at]?.kind;
    const next = lines.findIndex((one, n) => n > at && one.kind !== kind);
    const run = lines.slice(at, next < 0 ? lines.length : next);
    at += run.length;
    const left = kind === "same" ? run.length - 2 * CONTEXT : 0;
    if (left <= 1) shown.push(...run);
    else {
      shown.push(
        ...run.slice(0, CONTEXT),
        { kind: "gap", lines: left },
        ...run.slice(-CONTEXT),
      );
    }
  }
  return shown;
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}

/** The longest common lines stay, as every `diff` has it. */
function between(
  a: readonly string[],
  b: readonly string[],
): readonly DiffLine[] | undefined {
  // What is only taken out or added takes no search.
  const maxEditLength = a.length === 0 || b.length === 0 ? Infinity : MAX_EDITS;
  return diffArrays([...a], [...b], { maxEditLength })?.flatMap(
    ({ added, removed, value }) =>
      value.map((text): DiffLine => ({
        kind: added ? "new" : removed ? "old" : "same",
        text,
      })),
  );
}
