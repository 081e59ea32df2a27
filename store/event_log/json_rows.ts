/**
 * Rows as one JSON text, made in short stretches: entries of long texts are
 * megabytes, and others must have their turn in between.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises";

/** How long this thread works before others have their turn, in milliseconds. */
const STRETCH_MS = 10;

/** A row, and a list in it that is long: made part by part. */
export interface LongRow<P> {
  /** What is short. */
  readonly row: Readonly<Record<string, unknown>>;
  /** The list, if there is one. */
  readonly long?: {
    /** Its name. */
    readonly name: string;
    /** What it is made of. */
    readonly parts: readonly P[];
    /** What each is in the list. */
    readonly toPart: (part: P, index: number) => unknown;
  };
}

/** A JSON list of what `toRow` makes of each value. */
export async function toJsonRows<T, P>(
  values: readonly T[],
  toRow: (value: T, index: number) => LongRow<P>,
): Promise<string> {
  const turns = createTurns();
  const rows: string[] = [];
  for (const [index, value] of values.entries()) {
    const { row, long } = toRow(value, index);
    const head = JSON.stringify(row);
    await turns();
    if (long === undefined) {
      rows.push(head);
      continue;
    }
    const items: string[] = [];
    for (const [place, part] of long.parts.entries()) {
      items.push(JSON.stringify(long.toPart(part, place)));
      await turns();
    }
    const list = `${JSON.stringify(long.name)}:[${items.join(",")}]`;
    rows.push(`${head.slice(0, -1)},${list}}`);
  }
  return `[${rows.join(",")}]`;
}

/** Lets others have their turn where a stretch has been long. */
function createTurns(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < STRETCH_MS) return undefined;
    return setImmediate().then(() => {
      began = performance.now();
    });
  };
}
