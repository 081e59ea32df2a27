/**
 * Rows as one JSON text, made in short stretches: entries of long texts are
 * megabytes, and others must have their turn between two of them.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises";

/** How long this thread works before others have their turn, in milliseconds. */
const STRETCH_MS = 10;

/** A JSON list of what `toRow` makes of each value. */
export async function toJsonRows<T>(
  values: readonly T[],
  toRow: (value: T, index: number) => unknown,
): Promise<string> {
  const rows: string[] = [];
  let began = performance.now();
  for (const [index, value] of values.entries()) {
    rows.push(JSON.stringify(toRow(value, index)));
    if (performance.now() - began < STRETCH_MS) continue;
    await setImmediate();
    began = performance.now();
  }
  return `[${rows.join(",")}]`;
}
