/**
 * Where items stand in line: bands by cost, so that the least work floats to
 * the top and, within a band, who comes first is started first. Pure.
 *
 * Places are sparse numbers on one scale, and an ordinary append renumbers
 * nothing. What a person pinned is nobody's neighbour: it is never moved, and
 * no other place is reckoned from it.
 *
 * @module
 */
import type { Cost, Slot } from "../../store/backlog/mod.ts";

/** A stretch of the scale. */
export interface Band {
  /** Its lowest place. */
  readonly floor: number;
  /** The place of the first item. */
  readonly base: number;
  /** Its highest place. */
  readonly ceiling: number;
}

/** The bands. */
export const BANDS: Readonly<Record<Cost, Band>> = {
  small: { floor: 5_000, base: 6_000, ceiling: 6_999 },
  medium: { floor: 2_000, base: 3_000, ceiling: 3_999 },
  large: { floor: 500, base: 1_000, ceiling: 1_999 },
};

/** How far below the lowest one a new item is placed. */
export const GAP = 10;

/** Lowest and highest place that a person may choose. */
export const PRECEDENCES = { least: -1_000_000_000, most: 1_000_000_000 };

/** Where a new item goes. */
export interface Placement {
  /** Its place. */
  readonly precedence: number;
  /** Items of its band that have to move first; none as a rule. */
  readonly moves: readonly Slot[];
}

/**
 * Where a new item of a band goes: below the lowest of `slots`, the band's
 * unpinned items in order. At the floor they are spread evenly first; undefined
 * where that makes no room.
 */
export function placeIn(
  { floor, base }: Band,
  slots: readonly Slot[],
): Placement | undefined {
  const lowest = Math.min(
    base + GAP,
    ...slots.map(({ precedence }) => precedence),
  );
  if (lowest - GAP > floor) return { precedence: lowest - GAP, moves: [] };
  const step = Math.max(1, Math.floor((base - floor) / (slots.length + 2)));
  const last = base - (slots.length - 1) * step;
  if (last - GAP <= floor) return undefined;
  const moves = slots.map(({ id }, at) => ({
    id,
    precedence: base - at * step,
  }));
  return { precedence: last - GAP, moves };
}
