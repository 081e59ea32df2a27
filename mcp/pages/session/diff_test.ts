import { equal } from "node:assert/strict";
import { diffLines } from "./diff.ts";

/** A difference as `diff -u` writes it. */
function shown(before: string, after: string): string {
  const marks = { same: " ", old: "-", new: "+" };
  return (diffLines(before, after) ?? [])
    .map((one) =>
      one.kind === "gap" ? `@${one.lines}` : marks[one.kind] + one.text
    )
    .join("|");
}

Deno.test.each([
  ["a line that changed", "a\nb\nc", "a\nB\nc", " a|-b|+B| c"],
  ["lines that were added", "a\nc", "a\nb\nc", " a|+b| c"],
  ["lines that went", "a\nb\nc", "a\nc", " a|-b| c"],
  ["two changes", "1\n2\n3\n4", "1\nx\n3\ny", " 1|-2|+x| 3|-4|+y"],
  ["a new file", "", "a\nb", "+a|+b"],
  ["nothing", "a", "a", " a"],
])("diffLines() tells %s", (_name, before, after, expected) => {
  equal(shown(before, after), expected);
});

Deno.test.each([
  [8, " 1| 2| 3|@2| 6| 7| 8"],
  [7, " 1| 2| 3| 4| 5| 6| 7"], // A gap would be as long as what it hides.
])(
  "diffLines() leaves out what is far from two changes, %s lines apart",
  (lines, expected) => {
    const between = Array.from({ length: lines }, (_, n) => String(n + 1));
    equal(
      shown(
        ["a", ...between, "c"].join("\n"),
        ["b", ...between, "d"].join("\n"),
      ),
      `-a|+b|${expected}|-c|+d`,
    );
  },
);

Deno.test("diffLines() leaves out what is far from a change, and takes long texts", () => {
  const lines = Array.from({ length: 1_000 }, (_, n) => String(n));
  const after = lines.with(500, "x").join("\n");
  equal(
    shown(lines.join("\n"), after),
    " 497| 498| 499|-500|+x| 501| 502| 503",
  );
  // Two changes far from each other, in more lines than are ever all compared.
  const twice = lines.with(1, "x").with(998, "y").join("\n");
  equal(
    shown(lines.join("\n"), twice),
    " 0|-1|+x| 2| 3| 4|@990| 995| 996| 997|-998|+y| 999",
  );
  equal(diffLines("", lines.join("\n"))?.length, 1_000);
});

Deno.test("diffLines() gives up where too many lines differ", () => {
  const lines = Array.from({ length: 1_000 }, (_, n) => String(n));
  const other = lines.map((one) => `y${one}`).join("\n");
  equal(diffLines(lines.join("\n"), other), undefined);
});
