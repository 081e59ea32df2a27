import { equal } from "node:assert/strict";
import { countCharacters, sliceCharacters } from "./characters.ts";

const TEXTS = [
  "",
  "a",
  "abc",
  "🍏",
  "a🍏b🍏🍏c",
  "\ud83c",
  "\udf4f\ud83c",
  "\ud83c🍏\udf4f",
  "é\u0301日本語",
];

Deno.test("characters are counted and cut as a text's iterator gives them", () => {
  for (const text of TEXTS) {
    const all = [...text];
    equal(countCharacters(text), all.length, JSON.stringify(text));
    for (let from = 0; from <= all.length + 1; from++) {
      for (const count of [0, 1, 2, all.length, Infinity]) {
        equal(
          sliceCharacters(text, from, count),
          all.slice(from, from + count).join(""),
          JSON.stringify([text, from, count]),
        );
      }
    }
  }
});
