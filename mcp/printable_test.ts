import { deepEqual, doesNotMatch, equal } from "node:assert/strict";
import fc from "fast-check";
import { createLog } from "./log.ts";
import { toPrintable, toPrintableJson } from "./printable.ts";

/** What a terminal obeys, or shows in another order. */
const OBEYED_REGEXP =
  // deno-lint-ignore no-control-regex -- the very characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const text = fc.string({ unit: "binary" });

Deno.test("a text keeps its line ends and tabs, and nothing that a terminal obeys", () => {
  equal(
    toPrintable("a\tb\n\u001b[1m\u009b\u202ec"),
    "a\tb\n\ufffd[1m\ufffd\ufffdc",
  );
  fc.assert(fc.property(text, (any) => {
    doesNotMatch(toPrintable(any), OBEYED_REGEXP);
  }));
});

Deno.test("printable JSON says the same", () => {
  fc.assert(fc.property(fc.dictionary(text, text), (value) => {
    const json = toPrintableJson(JSON.stringify(value));
    deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(value)));
    doesNotMatch(json, OBEYED_REGEXP);
  }));
});

Deno.test("the log does not drive the terminal that it goes to", () => {
  const lines: string[] = [];
  const title = "\u009b31m\u202e\u001b]0;x\u0007\u2028";
  createLog("info", (line) => lines.push(line)).info("started", { title });
  doesNotMatch(lines.join(""), OBEYED_REGEXP);
  equal(JSON.parse(lines[0] ?? "").title, title);
});
