import { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import { toJsonLine } from "./json_line.ts";

Deno.test("toJsonLine() gives one line to every reader, and the same value", () => {
  fc.assert(fc.property(
    fc.jsonValue({ stringUnit: "binary" }),
    fc.string({ unit: fc.constantFrom("\u2028", "\u2029", "\n", "\\", "a") }),
    (value, text) => {
      const line = toJsonLine({ value, text });
      equal(line.split(/[\r\n\u2028\u2029]/).length, 1);
      deepEqual(JSON.parse(line), JSON.parse(JSON.stringify({ value, text })));
    },
  ));
});
