/**
 * What changed between two texts, by lines.
 *
 * @module
 */

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

/** Lines that are compared one with each other at most; more are all replaced. */
const MAX_COMPARED = 400;
/** Lines around a change that are shown. */
const CONTEXT = 3;

/** The lines that differ, with a few around each change. */
export function diffLines(
  before: string,
  after: string,
): readonly (DiffLine | DiffGap)[] {
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
): readonly DiffLine[] {
  if (a.length > MAX_COMPARED || b.length > MAX_COMPARED) {
    return [
      ...a.map((text): DiffLine => ({ kind: "old", text })),
      ...b.map((text): DiffLine => ({ kind: "new", text })),
    ];
  }
  // common[i][j]: lines that the ends from i and j have in common.
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j]
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [old, fresh] = [a[i], b[j]];
    if (old !== undefined && old === fresh) {
      lines.push({ kind: "same", text: old });
      i++;
      j++;
    } else if (
      old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))
    ) {
      lines.push({ kind: "old", text: old });
      i++;
    } else {
      lines.push({ kind: "new", text: fresh ?? "" });
      j++;
    }
  }
  return lines;
}
