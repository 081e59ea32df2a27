/**
 * Contestants in turns: a block of calls of the first, a block of the second,
 * and round again.
 *
 * A ratio is taken round by round and its median is reported, so that what
 * slows the machine for a while slows both sides of it.
 *
 * @module
 */
import { median, type Row, toRow } from "./benchmark.ts";

/** One side of a comparison. */
export interface Contestant {
  readonly label: string;
  /** Makes ready for a block of calls; not measured. */
  prepare?(): Promise<unknown>;
  /** One measured call; `index` counts all calls of this contestant. */
  once(index: number): unknown;
  /** How many operations one call is. @default {1} */
  readonly size?: number;
}

/** How much is measured. */
export interface Rounds {
  readonly rounds: number;
  /** Calls of a block. */
  readonly calls: number;
  /** Rounds before, not measured. @default {rounds / 2} */
  readonly warmUp?: number;
}

/** What came of it. */
export interface Contest {
  readonly rows: readonly Row[];
  /** Median of one contestant's p50 over another's, round by round. */
  ratio(label: string, base: string): number;
}

/** Runs the contestants in turns. */
export async function alternate(
  contestants: readonly Contestant[],
  { rounds, calls, warmUp = Math.ceil(rounds / 2) }: Rounds,
): Promise<Contest> {
  const times = new Map<string, number[][]>(
    contestants.map(({ label }) => [label, []]),
  );
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const one of contestants) {
      await one.prepare?.();
      const block: number[] = [];
      for (let call = 0; call < calls; call++) {
        const began = performance.now();
        await one.once(round * calls + call);
        block.push((performance.now() - began) / (one.size ?? 1));
      }
      if (round >= warmUp) times.get(one.label)?.push(block);
    }
  }
  return toContest(times);
}

/** A contest of times by contestant and round. */
export function toContest(
  times: ReadonlyMap<string, readonly (readonly number[])[]>,
): Contest {
  return {
    rows: [...times].map(([label, blocks]) => toRow(label, blocks.flat())),
    ratio(label, base) {
      const mine = times.get(label) ?? [];
      const theirs = times.get(base) ?? [];
      return median(
        mine.map((block, round) => median(block) / median(theirs[round] ?? [])),
      );
    },
  };
}
