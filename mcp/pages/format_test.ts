import { equal, ok } from "node:assert/strict";
import {
  distance,
  dollars,
  figure,
  json,
  longText,
  size,
  text,
  time,
} from "./format.ts";
import { link } from "./parts.ts";
import { ownPath } from "./sign_in.ts";

/** What a browser would show of markup without entities of its own. */
function shown(markup: unknown): string {
  return String(markup).replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}

Deno.test("text() escapes markup and isolates its direction", () => {
  equal(
    String(text(`<b class="x">'&`)),
    "<bdi>&lt;b class=&quot;x&quot;&gt;&#39;&amp;</bdi>",
  );
});

Deno.test.each([
  ["a right-to-left override", "a\u202eb", "a\\u202eb"],
  ["an isolate", "\u2066", "\\u2066"],
  ["NUL and bell", "\0\u0007", "\\u0000\\u0007"],
  ["a line break", "a\nb", "a\\nb"],
  ["a C1 control", "\u009b", "\\u009b"],
  ["a zero-width space", "a\u200bb", "a\\u200bb"],
  ["a byte order mark", "\ufeff", "\\ufeff"],
  ["a Hangul filler", "\u3164", "\\u3164"],
  ["a line separator", "\u2028", "\\u2028"],
  ["an invisible tag", "\u{e0041}", "\\udb40\\udc41"],
  ["half a surrogate pair", "a\ud800b", "a\\ud800b"],
  ["a joiner between Latin letters", "a\u200db", "a\\u200db"],
  ["a joiner at the front", "\u200da", "\\u200da"],
  ["a joiner of an emoji, which stays", "👨\u200d👩", "👨\u200d👩"],
  ["a joiner of Persian, which stays", "می\u200cخواهم", "می\u200cخواهم"],
  ["an emoji's shape, which stays", "❤\ufe0f", "❤\ufe0f"],
])("text() and json() make visible: %s", (_name, value, expected) => {
  equal(shown(text(value)), expected);
  equal(shown(json([value])).includes(expected), true);
});

Deno.test.each([
  ["lines and tabs, which stay", "a\r\n\tb\nc", "a\n\tb\nc"],
  ["a terminal's colours, which go", "\u001b[31;1mno\u001b[0m\u001b[K", "no"],
  ["a lone carriage return", "10 %\r20 %", "10 %\\r20 %"],
  ["other commands to a terminal", "\u001b[2J", "\\u001b[2J"],
  ["a right-to-left override", "a\n\u202eb", "a\n\\u202eb"],
  ["markup", "<b>\n</bdi>", "<b>\n</bdi>"],
])("longText() shows %s", (_name, value, expected) => {
  const markup = String(longText(value));
  equal(shown(markup), expected);
  equal(markup.match(/<\/?b>/), null);
});

Deno.test.each([
  [0, "$0.00"],
  [0.00456, "$0.0046"],
  [0.5, "$0.50"],
  [1234.5678, "$1,234.57"],
])("dollars(%s) is %s", (value, expected) => {
  equal(dollars(value), expected);
});

Deno.test("json() shows JSON that reads back as what it was", () => {
  const value = {
    "</pre><script>": ['"', "\\", "a\u202eb", "\ud800", "x: y", 1e-7, null],
    "": { deep: [[[{}]]], empty: [] },
    'a":': 'b": ',
  };
  const markup = json(value);
  equal(JSON.stringify(JSON.parse(shown(markup))), JSON.stringify(value));
  ok(!String(markup).includes("<script"));
});

Deno.test("json() isolates right-to-left strings, each by itself", () => {
  const markup = String(json({ a: "שלום", b: "plain" }));
  ok(markup.includes("<bdi>&quot;שלום&quot;</bdi>"), markup);
  ok(!markup.includes("<bdi>&quot;plain"), markup);
});

Deno.test("json() folds large values away and says how large they are", () => {
  const markup = String(json({ a: "😀".repeat(1_000) }));
  ok(markup.startsWith("<details><summary>"));
  ok(markup.includes("2,008 characters"));
  equal(String(json({ a: 1 })).includes("details"), false);
});

Deno.test("json() does not indent what indentation would blow up", () => {
  let value: unknown = Array(6_000).fill(1);
  for (let depth = 0; depth < 30; depth++) value = [value];
  const markup = String(json(value));
  ok(markup.includes("not indented"));
  ok(markup.length < 100_000);
});

Deno.test("figures, sizes and distances are short and exact enough", () => {
  equal(figure(1_234_567), "1,234,567");
  equal(size(0), "0 B");
  equal(size(1_023), "1,023 B");
  equal(size(1_536), "1.5 KiB");
  equal(size(5 * 1_024 ** 3), "5 GiB");
  equal(distance(-400), "now");
  equal(distance(-59_000), "59 s ago");
  equal(distance(-3 * 3_600_000 - 1), "3 h ago");
  equal(distance(50 * 3_600_000), "in 2 d");
});

Deno.test("time() shows a moment in UTC and how far away it is", () => {
  const moment = new Date("2026-03-04T05:06:07.891Z");
  const markup = time(moment, moment.getTime() + 60_000);
  equal(shown(markup), "2026-03-04 05:06:07 UTC (1 min ago)");
  ok(String(markup).includes('datetime="2026-03-04T05:06:07.891Z"'));
  equal(shown(time(null, 0)), "never");
});

Deno.test("link() leaves out what has no value and encodes the rest", () => {
  equal(
    link("/p", { a: undefined, b: "", c: "x&y=é/" }),
    "/p?c=x%26y%3D%C3%A9%2F",
  );
  equal(link("/p", {}), "/p");
});

Deno.test("a sign-in leads to one of the pages and nowhere else", () => {
  equal(
    ownPath("/supervisor/agent_root_records?namespace=a&key=b"),
    "/supervisor/agent_root_records?namespace=a&key=b",
  );
  for (
    const elsewhere of [
      undefined,
      7,
      "",
      "health",
      "//evil.example/health",
      "/\\evil.example/health",
      "/\t/evil.example/health",
      "https://evil.example/health",
      "javascript:alert(1)",
      "/mcp",
      "/sign_out",
      "/health/../mcp",
      "/%68ealth",
    ]
  ) equal(ownPath(elsewhere), "/board");
});
