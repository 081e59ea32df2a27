import { deepEqual, equal, ok } from "node:assert/strict";
import { openTestDb } from "../../tests/support/test_db.ts";
import { BUILT_IN_PRICES, priceOf, readPrices, STEPS } from "./prices.ts";

/** Rates of a model on a day for a request of a size. */
function rateOf(model: string, size: number, table = BUILT_IN_PRICES) {
  const step = STEPS.filter((one) => size > one).length;
  return priceOf(table, model).rates.find((one) => one.step === step);
}

Deno.test("a model has the price of its own row, else of its family, else none", () => {
  const kinds = [
    ["claude-opus-5-5", "exact", undefined],
    ["anthropic/claude-sonnet-5-5", "exact", undefined],
    ["claude-opus-5[1m]", "exact", undefined],
    ["Claude-Haiku-4-5-20251001", "exact", undefined],
    ["claude-opus-5-20270101", "exact", undefined],
    ["claude-opus-9", "family", "claude-opus-5-5"],
    ["gpt-6.2-sol", "exact", undefined],
    ["llama-9", "none", undefined],
    ["unknown", "none", undefined],
    ["", "none", undefined],
  ] as const;
  for (const [model, kind, like] of kinds) {
    const price = priceOf(BUILT_IN_PRICES, model);
    deepEqual([price.kind, price.like], [kind, like], model);
  }
});

Deno.test("prices change above a threshold, and not at it", () => {
  equal(rateOf("claude-haiku-5-5", 100_000)?.input, 0.1);
  equal(rateOf("claude-haiku-5-5", 100_001)?.input, 0.5);
  equal(rateOf("gpt-6-sol", 272_000)?.output, 10);
  equal(rateOf("gpt-6-sol", 999_999)?.output, 15);
  equal(rateOf("claude-opus-5-5", 5)?.cache_read, 0.2);
  equal(rateOf("claude-opus-5-5", 5)?.cache_write_1h, 8);
});

Deno.test("the steps of the table are those of the database", async () => {
  await using test = await openTestDb();
  for (
    const size of STEPS.flatMap((one) => [one - 1, one, one + 1]).concat(0)
  ) {
    const [row] = await test.db.read<{ step: number }>(
      "select token_usage_step($1::bigint) as step",
      [size],
    );
    equal(row?.step, STEPS.filter((one) => size > one).length, String(size));
  }
});

Deno.test("every row of the built-in table is whole, dated, and of the forms that are read", () => {
  const reading = readPrices(JSON.stringify(BUILT_IN_PRICES));
  ok(reading.ok, JSON.stringify(reading));
  deepEqual(reading.table.models, BUILT_IN_PRICES.models);
  const { families, models, sources } = BUILT_IN_PRICES;
  equal(new Set(models.map(({ model }) => model)).size, models.length);
  ok(sources.length > 0);
  for (const { like } of families) {
    ok(models.some(({ model }) => model === like), like);
  }
  for (const row of models) {
    ok(row.input > 0 && row.output >= row.input, row.model);
    ok(row.cache_read <= row.input, row.model);
  }
});

Deno.test("an operator's table goes over the built-in one, dated rows in their time", () => {
  const reading = readPrices(JSON.stringify({
    checked_on: "2027-01-01",
    models: [
      { model: "own", input: 1, output: 2 },
      { model: "own", from: "2027-02-01", input: 3, output: 4 },
      { model: "claude-opus-5", input: 9, output: 9, cache_write_5m: 7 },
    ],
    families: [{ family: "home", like: "own" }],
  }));
  ok(reading.ok);
  const { table } = reading;
  equal(table.checked_on, "2027-01-01");
  deepEqual(
    priceOf(table, "own").rates.filter(({ step }) => step === 0)
      .map(({ from, until, input }) => [from, until, input]),
    [["-infinity", "2027-02-01", 1], ["2027-02-01", "infinity", 3]],
  );
  deepEqual(
    [
      rateOf("claude-opus-5", 1, table)?.cache_write_1h,
      rateOf("own", 1, table)?.cache_read,
    ],
    [7, 1],
  );
  equal(priceOf(table, "my-home-model").kind, "family");
  equal(priceOf(table, "claude-sonnet-5").kind, "exact");
});

Deno.test("what is wrong with a table is told by its place", () => {
  const problems = (value: unknown) => {
    const reading = readPrices(
      typeof value === "string" ? value : JSON.stringify(value),
    );
    return reading.ok ? [] : reading.problems;
  };
  deepEqual(problems("{"), ["it is not JSON"]);
  deepEqual(problems([]), ["it is no object with models in it"]);
  deepEqual(problems({ models: 1 }), ["models is no list"]);
  deepEqual(problems({ models: [{ input: 1 }] }), [
    "models/0 needs a model, a text",
  ]);
  deepEqual(problems({ models: [{ model: "a", input: -1, output: 1 }] }), [
    "models/0/input is no number from 0",
    "models/0/cache_read is no number from 0",
    "models/0/cache_write_5m is no number from 0",
    "models/0/cache_write_1h is no number from 0",
  ]);
  const tier = { above: 5, input: 1, output: 1 };
  deepEqual(
    problems({ models: [{ model: "a", input: 1, output: 1, tiers: [tier] }] }),
    [`models/0/tiers/0/above is none of ${STEPS.join(", ")}`],
  );
  deepEqual(problems({ checked_on: "soon", models: [] }), [
    "checked_on is no day such as 2026-12-01",
  ]);
});
