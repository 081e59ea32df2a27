/**
 * All benchmarks, in the order in which they are listed and run.
 *
 * @module
 */
import type { Benchmark } from "./benchmark.ts";
import { http } from "./http.ts";
import { records } from "./records.ts";
import { startup } from "./startup.ts";

/** The registry. */
export const BENCHMARKS: readonly Benchmark[] = [
  startup,
  records,
  http,
];
