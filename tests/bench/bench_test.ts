/**
 * The short form of every benchmark: their answers are compared, their figures
 * are not looked at.
 *
 * @module
 */
import { deepEqual, ok } from "node:assert/strict";
import type { Bench } from "./benchmark.ts";
import { BENCHMARKS } from "./registry.ts";
import { partText } from "./report.ts";
import { openStage, type Stage } from "./stage.ts";

/** Every benchmark keeps to a namespace of its own, so they share one. */
let stage: Promise<Stage> | undefined;

const SHORT: Bench = {
  isShort: true,
  pick: (_full, short) => short,
  stage: () => stage ??= openStage(),
  note: () => {},
};

Deno.test("the names of benchmarks are unique", () => {
  const names = BENCHMARKS.map(({ name }) => name);
  deepEqual(names, [...new Set(names)]);
});

for (const { name, missing, run } of BENCHMARKS) {
  Deno.test({
    name: `the short form of the benchmark ${name} answers rightly${
      missing === undefined ? "" : ` (skipped: ${missing})`
    }`,
    ignore: missing !== undefined,
    // The stage outlives the test that opened it.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const parts = await run(SHORT);
      ok(parts.length > 0);
      for (const part of parts) {
        const values = [
          ...part.rows.flatMap(({ p50, p99, rate }) => [p50, p99, rate]),
          ...part.figures.map(({ value }) => value),
        ];
        ok(values.length > 0 && values.every(Number.isFinite), partText(part));
      }
    },
  });
}

Deno.test.afterAll(async () => {
  await (await stage)?.[Symbol.asyncDispose]();
});
