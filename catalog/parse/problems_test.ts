import { equal, match, ok } from "node:assert/strict";

import { cutText, formatProblems } from "./problems.ts";

function problems(count: number, reason = "Must be text") {
  return Array.from(
    { length: count },
    (_, index) => ({ pointer: `/${index}`, reason }),
  );
}

Deno.test("formatProblems() lists ten problems and counts the rest [case 36]", () => {
  const text = formatProblems(problems(10), { total: 57 });
  match(text, /\/9: Must be text; and 47 more$/);
});

Deno.test("formatProblems() says when the count is a floor", () => {
  const options = { total: 12, totalIsFloor: true };
  match(formatProblems(problems(10), options), /and at least 2 more$/);
});

Deno.test("formatProblems() names the whole when the pointer is empty", () => {
  const text = formatProblems([{ pointer: "", reason: "Must be object" }]);
  equal(text, "the whole: Must be object");
});

Deno.test("formatProblems() stays within 4,000 characters", () => {
  const long = Array.from({ length: 50 }, () => ({
    pointer: "/" + "p".repeat(50_000),
    reason: "r".repeat(50_000),
  }));
  const text = formatProblems(long, { total: 1e15, totalIsFloor: true });
  ok(text.length <= 4_000, `${text.length}`);
  match(text, /more characters/);
});

Deno.test("cutText() cuts no surrogate pair in half", () => {
  equal(cutText("a😀b", 2), "a… (3 more characters)");
});

Deno.test("cutText() leaves a text that fits as it is", () => {
  equal(cutText("abc", 3), "abc");
});
