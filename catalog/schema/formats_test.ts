import { equal, ok } from "node:assert/strict";

import { boundedFormats } from "./formats.ts";

/** What hangs takes minutes; a busy machine does not take this long. */
const FAR_TOO_LONG_MS = 30_000;

const CHARS = ["a", "a-", "a.", "a@", "%41", "/", "1", ":", "-", "~0", "{a}"];
const STARTS = ["", "http://", "https://a@", "a@", "P", "{", "/", "#/", "::"];

Deno.test("boundedFormats() never takes long, whatever the text", () => {
  for (const [name, format] of Object.entries(boundedFormats())) {
    if (format === true || format.type !== "string") continue;
    for (const start of STARTS) {
      for (const part of CHARS) {
        for (const length of [256, 320, 2_048, 32_768]) {
          const text = start + part.repeat(length / part.length) + "!";
          const startedAt = performance.now();
          format.validate(text.slice(0, length - 1) + "\u0001");
          format.validate(text);
          const took = performance.now() - startedAt;
          ok(
            took < FAR_TOO_LONG_MS,
            `${name} took ${took} ms for ${start}${part}…`,
          );
        }
      }
    }
  }
});

Deno.test("boundedFormats() tells good texts from bad ones", () => {
  const rows: [string, string, string][] = [
    ["date", "2026-02-28", "2026-02-30"],
    ["date-time", "2026-01-01T00:00:00Z", "2026-01-01"],
    ["email", "a@example.com", "a@"],
    ["uri", "https://example.com/a?b#c", "not a uri"],
    ["uuid", "123e4567-e89b-12d3-a456-426614174000", "123"],
    ["ipv4", "127.0.0.1", "300.0.0.1"],
    ["hostname", "example.com", "-a"],
    ["json-pointer", "/a/b", "a/b"],
    ["regex", "^a$", "("],
  ];
  const formats = boundedFormats();
  for (const [name, good, bad] of rows) {
    const format = formats[name];
    ok(format !== undefined && format !== true && format.type === "string");
    equal(format.validate(good), true, good);
    equal(format.validate(bad), false, bad);
  }
});
