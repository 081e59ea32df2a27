/**
 * What a benchmark is, and what it reports.
 *
 * One file a benchmark, listed in `registry.ts`. Each runs ours and its peer or
 * floor alternately in one run, so that a ratio holds while the machine's speed
 * drifts, and checks that all of them answer the same.
 *
 * @module
 */
import type { Stage } from "./stage.ts";

/** A benchmark. */
export interface Benchmark {
  /** How the command line calls it. */
  readonly name: string;
  /** What it compares, in one line. */
  readonly summary: string;
  /** Whether `all` leaves it out: it takes long, or much room. */
  readonly isByNameOnly?: boolean;
  /** Why it cannot run on this machine; undefined where it can. */
  readonly missing?: string | undefined;
  /** Runs it. Throws when an answer is wrong. */
  run(bench: Bench): Promise<readonly Part[]>;
}

/** What a benchmark runs with. */
export interface Bench {
  /** The short form is for correctness: its figures mean nothing. */
  readonly isShort: boolean;
  /** The first in a full run, the second in the short form. */
  pick<T>(full: T, short: T): T;
  /** A PostgreSQL with the schema; opened when it is first asked for. */
  stage(): Promise<Stage>;
  /** Tells the reader what goes on. */
  note(text: string): void;
}

/** A table of a report. */
export interface Part {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly figures: readonly Figure[];
  /** What is no time, in columns. */
  readonly table?: Table;
}

/** Columns of texts. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Times of one contestant. */
export interface Row {
  readonly label: string;
  /** How many were measured. */
  readonly count: number;
  /** Median, in milliseconds. */
  readonly p50: number;
  /** 99th percentile, in milliseconds. */
  readonly p99: number;
  /** How many a second. */
  readonly rate: number;
}

/** A single number that is worth quoting: mostly a ratio. */
export interface Figure {
  readonly label: string;
  readonly value: number;
  readonly unit: "×" | "ms" | "MiB" | "/s" | "of 1" | "bytes";
  /** The design's bar, where there is one. */
  readonly bar?: { readonly atMost: number } | { readonly atLeast: number };
}

/** Whether a figure meets its bar; undefined where there is none. */
export function isMet({ value, bar }: Figure): boolean | undefined {
  if (bar === undefined) return undefined;
  return "atMost" in bar ? value <= bar.atMost : value >= bar.atLeast;
}

/** A row of measured times in milliseconds, `tookMs` from first to last. */
export function toRow(
  label: string,
  times: readonly number[],
  tookMs = times.reduce((sum, time) => sum + time, 0),
): Row {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    label,
    count: times.length,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    rate: times.length / tookMs * 1000,
  };
}

/** A percentile of sorted numbers; not a number of none. */
export function percentile(sorted: readonly number[], part: number): number {
  const at = Math.min(sorted.length - 1, Math.floor(sorted.length * part));
  return sorted[at] ?? NaN;
}

/** The middle one. */
export function median(numbers: readonly number[]): number {
  return percentile(numbers.toSorted((a, b) => a - b), 0.5);
}
