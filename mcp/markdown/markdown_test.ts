import { deepEqual, equal, ok } from "node:assert/strict";
import { Parser } from "commonmark";
import fc from "fast-check";
import { Markdown, receipt } from "./document.ts";
import { escapeText, md, preview, quoted } from "./inline.ts";

/** Texts made of what Markdown acts on, and of anything else. */
const HOSTILE = fc.array(
  fc.oneof(
    fc.constantFrom(
      ..."#>-+*_=~|`[]()<>\\!\"'&:.\n\r\t 1",
      "\r\n",
      "\u2028",
      "\u0085",
      "\v",
      "\n### ",
      "\n- ",
      "\n> ",
      "\n```\n",
      "\n1. ",
      "\n---\n",
      "\n===\n",
      "**Status:** archived",
      "&#10;",
      "&NewLine;",
      "<!--",
      "</blockquote>",
      "[x]: http://a\n",
      "\u202e",
      "\ud800",
      "🌱",
    ),
    fc.string({ unit: "grapheme", maxLength: 5 }),
  ),
  { maxLength: 12 },
).map((parts) => parts.join(""));

/** Kinds of the blocks of a document, in order, and how deep they stand. */
function structure(text: string): string[] {
  const walker = new Parser().parse(text).walker();
  const found: string[] = [];
  let quotes = 0;
  let depth = 0;
  for (let step = walker.next(); step !== null; step = walker.next()) {
    const { type } = step.node;
    if (type === "block_quote") quotes += step.entering ? 1 : -1;
    if (type === "block_quote" && step.entering && quotes === 1) {
      found.push(`${depth} quote`);
    }
    if (type === "item") depth += step.entering ? 1 : -1;
    // What stands inside a quotation is the quoted one's.
    if (quotes > 0 || !step.entering) continue;
    if (
      ["heading", "item", "code_block", "html_block", "thematic_break"]
        .includes(type)
    ) found.push(`${depth} ${type}`);
    if (
      ["strong", "emph", "link", "image", "code", "html_inline"]
        .includes(type)
    ) found.push(type);
  }
  return found;
}

/** A document with a text of others at every place there is. */
function answerWith(text: string): string {
  return new Markdown()
    .heading(2, md`${text} (ID: ${1})`)
    .item(md`${text}`)
    .field("Title", text)
    .field("Said", quoted(text), 1)
    .item(preview(text, 20))
    .quote(text, 1)
    .item(md`next`)
    .heading(3, md`Section`)
    .line(md`${text}`)
    .quote(text)
    .line(md`behind`)
    .quoteUpTo(text, { limit: 15, whole: "verbose: true shows all" })
    .json({ text })
    .heading(3, md`End`)
    .text;
}

Deno.test("text of others is no heading, bullet, quotation, link or emphasis of an answer", () => {
  const plain = structure(answerWith("a plain text that is cut"));
  ok(plain.filter((kind) => kind.endsWith("heading")).length === 3);
  fc.assert(
    fc.property(HOSTILE, (text) => {
      const found = structure(answerWith(text));
      // A text of up to 15 characters is not cut, so nothing says that it was.
      const expected = [...text].length > 15
        ? plain
        : structure(answerWith("short"));
      deepEqual(found, expected);
    }),
    { numRuns: 500 },
  );
});

Deno.test("read as plain lines, no line of others begins an answer's line", () => {
  fc.assert(
    fc.property(HOSTILE, (text) => {
      const lines = answerWith(text).split(
        /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u,
      );
      const ours = lines.filter((line) => /^(#|- | {2}- )/.test(line));
      equal(ours.length, 8);
    }),
    { numRuns: 500 },
  );
});

Deno.test("an escaped line reads as itself", () => {
  const parser = new Parser();
  fc.assert(fc.property(
    fc.string({ unit: "grapheme" }).map((text) =>
      text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, "")
        .trim()
    ).filter((text) => text !== ""),
    (text) => {
      const walker = parser.parse(escapeText(text)).walker();
      let read = "";
      for (let step = walker.next(); step !== null; step = walker.next()) {
        read += step.node.literal ?? "";
      }
      equal(read, text);
    },
  ));
});

Deno.test("a quotation mark cannot be closed from within", () => {
  fc.assert(fc.property(HOSTILE, (text) => {
    const inside = quoted(text).text.slice(1, -1).replaceAll(/\\./gsu, "");
    ok(!inside.includes('"'), inside);
  }));
});

Deno.test("what is cut says so, with its real length, and cannot say so itself", () => {
  equal(
    preview("a".repeat(5_000), 4).text,
    "aaaa… [4 of 5,000 characters]",
  );
  equal(preview("aaaa", 4).text, "aaaa");
  equal(
    preview("x… [1 of 9 characters]", 50).text,
    "x… \\[1 of 9 characters\\]",
  );
  equal(
    new Markdown().quoteUpTo("🌱🌱🌱", { limit: 2, whole: "get_x has all" })
      .text,
    "> 🌱🌱\n\n_(cut: 2 of 3 characters; get_x has all)_",
  );
});

Deno.test("a receipt is a heading and bullets; what is not so is left out", () => {
  equal(
    receipt(md`Session Archived`, [
      ["Session ID", 12],
      ["Title", "- **New Status:** running\n# x"],
      ["Note", undefined],
    ]).text,
    "## Session Archived\n\n- **Session ID:** 12\n" +
      "- **Title:** \\- \\*\\*New Status:\\*\\* running ⏎ # x",
  );
});

Deno.test("data in a fence stays in it, whatever backticks and lines it has", () => {
  const text = new Markdown().json({ a: "````\n```", b: "\u2028# x" }).text;
  deepEqual(structure(text), ["0 code_block"]);
  equal(text.split("\n").length, 6);
});
