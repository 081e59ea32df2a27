import { equal, ok } from "node:assert/strict";
import { CortexConfigError, quote, ScopeSyntaxError } from "./errors.ts";

Deno.test("quote() leaves only printable ASCII", () => {
  const table: [string, string][] = [
    ["ws:main", '"ws:main"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ["a\0b\n\x1b[31m", '"a\\u0000b\\n\\u001b[31m"'],
    ["\x7f\x9b", '"\\u007f\\u009b"'],
    ["wѕ:m\u202e", '"w\\u0455:m\\u202e"'],
    ["\ud800", '"\\ud800"'],
  ];
  for (const [text, shown] of table) equal(quote(text), shown);
});

Deno.test("quote() cuts a long text and says how much", () => {
  const shown = quote("x".repeat(4_000_000));
  equal(shown, `"${"x".repeat(60)}" (3999940 more characters)`);
});

Deno.test("ScopeSyntaxError carries the input, the offset and the reason", () => {
  const input = `ws:${"x".repeat(1000)}\0`;
  const error = new ScopeSyntaxError("node", input, {
    reason: "an id holds something",
    offset: 1003,
  });
  ok(error instanceof SyntaxError);
  equal(error.name, "ScopeSyntaxError");
  equal(error.input, input);
  equal(error.offset, 1003);
  equal(error.reason, "an id holds something");
  ok(error.message.startsWith('Cannot read node "ws:xxx'));
  ok(error.message.endsWith("an id holds something (at 1003)"));
  ok(error.message.length < 200);
});

Deno.test("CortexConfigError names every setting", () => {
  const problems = [
    { setting: "wire", message: "is odd" },
    { setting: "scopeRoot", message: "is odder" },
  ];
  const error = new CortexConfigError(problems);
  equal(error.name, "CortexConfigError");
  equal(error.problems, problems);
  ok(error.message.includes("wire: is odd; scopeRoot: is odder"));
});
