import { deepEqual, equal, match, ok, throws } from "node:assert/strict";

import { compileSchema } from "./collections.ts";
import { WorkMeter } from "./meter.ts";
import { measurePattern } from "./pattern_size.ts";
import {
  compilePattern,
  MAX_PROGRAM_SIZE,
  MAX_PROPERTIES,
  PatternError,
} from "./patterns.ts";
import { MAX_PATTERN_WORK } from "./schema_facts.ts";

Deno.test("measurePattern() counts what repetitions come to", () => {
  const cases: [string, number][] = [
    ["", 0],
    ["abc", 3],
    ["a*b+c?", 6],
    ["a{3}", 3],
    ["a{3,}", 4],
    ["a{0,}", 2],
    ["a{2,5}", 8],
    ["a{0,1000}", 2_000],
    ["a{0,3}?", 6],
    ["(?:ab|cd){0,20}", 120],
    ["(?<n>ab){10}", 20],
    ["(ab){10}c", 21],
    ["((a{0,30}b){0,30})", 1_860],
    ["(?:a{0,100}){0,100}", 20_100],
    ["[a-z]{5}", 5],
    ["[\\]a{9}]{7}", 7],
    ["[]{3}", 3],
    ["[^]{3}", 3],
    ["\\u{1F600}{10}", 10],
    ["\\u0061{10}", 10],
    ["\\x61{10}", 10],
    ["\\cA{10}", 10],
    ["\\{{10}", 10],
    ["\\p{L}{10}", 10],
    [".{0,1000}".repeat(450), 900_000],
    ["a{0,1000}".repeat(455), 910_000],
    ["(?:(?:(?:a{100}){100}){100}){100}", 1e8],
  ];
  for (const [pattern, instructions] of cases) {
    equal(measurePattern(pattern).instructions, instructions, pattern);
  }
});

Deno.test("measurePattern() counts Unicode properties and no escaped backslash", () => {
  equal(measurePattern("\\p{L}[\\P{N}\\p{S}]{9}").properties, 3);
  equal(measurePattern("\\\\p{L}").properties, 0);
});

Deno.test("measurePattern() answers for any text", () => {
  for (
    const part of ["(", ")", "[", "{", "\\", "|", "(?<", "\\p{", "a{1", "*"]
  ) {
    ok(measurePattern(part.repeat(1_000)).instructions >= 0);
  }
});

Deno.test("compilePattern() refuses by its text what would take long to compile", () => {
  const meter = new WorkMeter();
  const cases: [string, RegExp][] = [
    [".{0,1000}".repeat(450), /900000 instructions, at most 2100 are allowed/],
    ["a{0,1000}".repeat(455), /910000 instructions/],
    ["(?:a{0,100}){0,100}", /20100 instructions/],
    ["(?:a{0,30}b?){0,30}".repeat(200), /too large/],
    ["(?:ab|cd|ef|gh){0,200}".repeat(20), /too large/],
    ["(?:|a|b){0,1000}".repeat(20), /too large/],
    ["\\p{L}".repeat(800), /names 800 Unicode properties; at most 40/],
    [`[${"\\P{L}".repeat(800)}]`, /800 Unicode properties/],
    ["[ab]{0,1000}[cd]{0,1000}", /4002 instructions, at most 2100/],
  ];
  for (const [pattern, reason] of cases) {
    throws(() => compilePattern(pattern, meter), (error) => {
      ok(error instanceof PatternError);
      match(error.message, reason);
      return true;
    });
  }
});

Deno.test("compilePattern() takes what is within the bounds", () => {
  const meter = new WorkMeter();
  const within = [
    "^.{0,1000}$",
    "^[a-z]{1,1000}$",
    "^(?:[0-9a-f]{2}:){1,200}$",
    "\\p{L}".repeat(MAX_PROPERTIES),
    // Written out it is too large, merged it is not.
    "(?:a|b|c|d|e){0,700}",
  ];
  ok(measurePattern(within.at(-1) ?? "").instructions > MAX_PROGRAM_SIZE);
  for (const pattern of within) {
    ok(compilePattern(pattern, meter).test(pattern) !== undefined);
  }
});

function refusal(schema: Record<string, unknown>): string {
  const compiled = compileSchema(schema);
  return compiled.ok ? "" : compiled.problems[0]?.reason ?? "";
}

function fields(count: number, of: (index: number) => unknown) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`k${index}`, of(index)]),
  );
}

Deno.test("compileSchema() refuses patterns that are too much together", () => {
  const together = /patterns together come to \d+ instructions; at most 30000/;
  const cases: Record<string, unknown>[] = [
    { properties: fields(20, (at) => ({ pattern: `a{0,1000}${at}` })) },
    {
      patternProperties: Object.fromEntries(
        Array.from({ length: 20 }, (_, at) => [`a{0,1000}${at}`, {}]),
      ),
    },
    { properties: fields(1_400, (at) => ({ pattern: `^a${at}` })) },
    { properties: fields(400, (at) => ({ pattern: `\\p{L}${at}` })) },
  ];
  for (const schema of cases) match(refusal(schema), together);
  const fits = Math.floor(MAX_PATTERN_WORK / (25 + 900));
  const large = (count: number) =>
    refusal({ properties: fields(count, () => ({ pattern: "a{900}" })) });
  deepEqual([large(fits), large(fits + 1) === ""], ["", false]);
});

Deno.test("compileSchema() refuses more members than it compiles", () => {
  const many = /keywords and names of fields; at most 5000 are compiled/;
  const contains = {
    allOf: Array.from({ length: 5_000 }, () => ({ not: {} })),
  };
  match(refusal(contains), many);
  match(
    refusal({ dependentSchemas: fields(2_501, () => ({ not: {} })) }),
    many,
  );
  const words = Array.from({ length: 6_000 }, (_, at) => `v${at}`);
  equal(refusal({ enum: words }), "", "values are no keywords");
});

Deno.test("check() of a large schema lists the same problems as that of a small one", () => {
  const problems = (count: number) => {
    const properties = fields(count, () => ({ type: "string", maxLength: 2 }));
    const compiled = compileSchema({ properties, required: ["k1"] });
    ok(compiled.ok);
    deepEqual(compiled.check({ k1: "ab" }), { ok: true });
    return compiled.check({ k0: 1, k2: "long" });
  };
  const small = problems(10);
  deepEqual(problems(1_000), small);
  ok(!small.ok && "total" in small);
  deepEqual([small.total, small.totalIsFloor], [3, false]);
});

Deno.test("check() of a large schema says when it stopped counting", () => {
  const required = Object.keys(fields(2_000, () => 0));
  const properties = fields(600, () => ({ type: "string" }));
  const compiled = compileSchema({ properties, required });
  ok(compiled.ok);
  const checked = compiled.check({});
  ok(!checked.ok && "total" in checked);
  deepEqual([checked.totalIsFloor, checked.problems.length], [true, 10]);
});
