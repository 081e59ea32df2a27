/**
 * Pages within a budget of bytes. What is counted is what is sent: the whole
 * answer as compact JSON, in UTF-8.
 *
 * Specification: docs/design.md section 7.
 *
 * @module
 */

/** What a page has where a call does not say. */
export const DEFAULT_PAGE_BYTES = 40_000;
const MAX_PAGE_BYTES = 200_000;

/** Schema of `max_bytes`. */
export const MAX_BYTES_INPUT = {
  type: "integer",
  minimum: 1_000,
  maximum: MAX_PAGE_BYTES,
  description:
    `Bytes of the answer at most, as JSON; ${DEFAULT_PAGE_BYTES} by default. What does not fit comes with the next page`,
} as const;

/** Schema of the number of a page. */
export const PAGE_INPUT = {
  type: "integer",
  minimum: 1,
  maximum: 1_000_000,
  description: "Which page, from 1",
} as const;

/** Schema of how many entries a page has. */
export const PER_PAGE_INPUT = {
  type: "integer",
  minimum: 1,
  maximum: 100,
} as const;

/** Bytes of a value as it is sent. */
export function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** The page with most entries that fits; one entry is given in any case. */
export function fitPage<P>(
  entries: number,
  pageOf: (count: number) => P,
  maxBytes: number = DEFAULT_PAGE_BYTES,
): P {
  const all = pageOf(entries);
  if (entries <= 1 || bytesOf(all) <= maxBytes) return all;
  return pageOf(
    largest(1, entries - 1, (count) => bytesOf(pageOf(count)) <= maxBytes),
  );
}

/** The beginning of a text with which the page fits, and at least `least`. */
export function fitText<P>(
  text: string,
  pageOf: (text: string) => P,
  { least, maxBytes = DEFAULT_PAGE_BYTES }: {
    readonly least: number;
    readonly maxBytes?: number | undefined;
  },
): P {
  const whole = pageOf(text);
  if (text.length <= least || bytesOf(whole) <= maxBytes) return whole;
  // Cut between characters, and not within one.
  const upTo = (units: number) =>
    text.slice(0, units).replace(/[\ud800-\udbff]$/, "");
  return pageOf(
    upTo(
      largest(
        least,
        text.length,
        (units) => bytesOf(pageOf(upTo(units))) <= maxBytes,
      ),
    ),
  );
}

/** The largest number for which it holds, as it does up to some; else `from`. */
function largest(
  from: number,
  to: number,
  holds: (number: number) => boolean,
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
