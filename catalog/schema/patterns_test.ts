import { deepEqual, equal, ok, throws } from "node:assert/strict";

import { translatePattern } from "./ecma_pattern.ts";
import { WorkLimitError, WorkMeter } from "./meter.ts";
import { compilePattern, PatternError } from "./patterns.ts";

/** What hangs takes minutes; a busy machine does not take this long. */
const FAR_TOO_LONG_MS = 30_000;

const SAMPLES: readonly string[] = [
  "",
  ..."aAbBzZ09_-.\t\n\v\f\r /\\[](){}|^$*+?éſKµαΩ١😀",
  ..."\u0000\u0008\u001f\u007f\u0085\u00a0\u1680\u180e\u2000\u200a\u200b",
  ..."\u2028\u2029\u202f\u205f\u3000\ufeff\ufffd",
  "ab",
  "a\nb",
  "aa",
  "a\n",
  "foo bar",
  "😀😀",
  "[:alpha:]",
  "1.2.3",
];

const SUPPORTED: readonly string[] = [
  "^.$",
  "^\\s$",
  "^\\S$",
  "^[\\s]$",
  "^[^\\s]$",
  "^[\\S]$",
  "^[^\\S]$",
  "^[\\S\\n]$",
  "^\\w+$",
  "^\\W$",
  "^\\d$",
  "^\\D$",
  "^[\\w-]+$",
  "^[^]$",
  "^[]$",
  "^[\\b]$",
  "\\bfoo\\b",
  "^\\B",
  "\\u0041",
  "^\\u{1F600}+$",
  "^\\uD83D\\uDE00$",
  "\\x41",
  "^\\cI$",
  "^\\0$",
  "^[\\0-\\x1f]$",
  "^[[]$",
  "^[[:alpha:]+$",
  "^\\p{L}$",
  "^\\p{Letter}$",
  "^\\P{Lu}$",
  "^[\\p{Uppercase_Letter}]$",
  "^\\p{Script=Greek}$",
  "^\\p{gc=Nd}$",
  "^[\\p{General_Category=Connector_Punctuation}x]$",
  "(?<year>a)(?:b)",
  "^(a|b)*$",
  "^a{1,2}?$",
  "a$",
  "^\\/$",
  "^\\^\\$\\.\\*$",
  "^[a\\-z]$",
  "^[.]$",
  "^(?:\\d+\\.){2}\\d+$",
  "^😀$",
  "^[😀-😂]$",
];

Deno.test("compilePattern() matches what ECMAScript matches", () => {
  const meter = new WorkMeter();
  for (const pattern of SUPPORTED) {
    const own = new RegExp(pattern, "u");
    const linear = compilePattern(pattern, meter);
    deepEqual(
      SAMPLES.filter((text) => linear.test(text)),
      SAMPLES.filter((text) => own.test(text)),
      pattern,
    );
  }
});

Deno.test("compilePattern() refuses by name what it cannot match", () => {
  const refused: [string, RegExp][] = [
    ["(?=a)b", /lookahead and lookbehind are not supported/],
    ["(?!a)b", /lookahead/],
    ["(?<=a)b", /lookbehind/],
    ["(?<!a)b", /lookbehind/],
    ["(a)\\1", /backreferences are not supported/],
    ["(?<n>a)\\k<n>", /backreferences/],
    ["(?i:a)", /flags inside a pattern/],
    ["a{1,2000}", /repeats more than 1,000 times/],
    ["(", /not a valid ECMAScript pattern/],
    ["a\\-b", /not a valid ECMAScript pattern/],
    ["\\p{ASCII}", /does not know it/],
    ["\\p{scx=Greek}", /script extensions/],
    ["(?:[a-z]{30}){30}[a-z]{900}x{900}", /too large/],
    ["a".repeat(4_097), /4097 characters/],
  ];
  const meter = new WorkMeter();
  for (const [pattern, reason] of refused) {
    throws(() => compilePattern(pattern, meter), (error) => {
      ok(error instanceof PatternError, pattern);
      ok(reason.test(error.message), `${pattern}: ${error.message}`);
      return true;
    });
  }
});

Deno.test("compilePattern() matches catastrophic patterns against 32 KB in linear time", () => {
  const catastrophic = [
    "^(a+)+$",
    "^(a|aa)+$",
    "^(a|a)*$",
    "^(.*a){20}$",
    "(x+x+)+y",
  ];
  const text = "a".repeat(32_767) + "!";
  const meter = new WorkMeter();
  for (const pattern of catastrophic) {
    const matcher = compilePattern(pattern, meter);
    const startedAt = performance.now();
    equal(matcher.test(text), false, pattern);
    const took = performance.now() - startedAt;
    ok(took < FAR_TOO_LONG_MS, `${pattern} took ${took} ms`);
  }
});

Deno.test("compilePattern() announces every match to the meter", () => {
  let now = 0;
  const meter = new WorkMeter(() => now, () => now);
  meter.restart(10);
  const matcher = compilePattern("[ab]*a[ab]{500}c", meter);
  now = 11;
  throws(() => matcher.test("ab".repeat(1_000)), WorkLimitError);
});

Deno.test("translatePattern() accepts any text", () => {
  for (const text of ["\\", "[", "(?<", "\ud800", "[\\", "\\u{110000}"]) {
    equal(translatePattern(text).ok, text === "\ud800");
  }
});
