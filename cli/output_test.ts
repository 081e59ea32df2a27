import { deepEqual, equal } from "node:assert/strict";
import { toPrintable } from "./output.ts";

Deno.test("toPrintable() leaves nothing that drives a terminal or turns text", () => {
  const table: [given: string, printed: string][] = [
    ["plain, ünïcode, 用户, tab\tkept", "plain, ünïcode, 用户, tab\tkept"],
    ["\u001b[31mRED", "\ufffd[31mRED"],
    ["title\u202egnp.exe", "title\ufffdgnp.exe"],
    ["bell\u0007 back\b", "bell\ufffd back\ufffd"],
    ["line\nend\r\u2028\u2029\u0085", "line\ufffdend\ufffd\ufffd\ufffd\ufffd"],
    ["half \ud800 pair", "half \ufffd pair"],
  ];
  for (const [given, printed] of table) equal(toPrintable(given), printed);
});

Deno.test("printJson() escapes what is unprintable, and the value is the same", async () => {
  const value = { title: "a\u001b\u202eb\u200d\n", emoji: "👩‍👩‍👧" };
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      "--no-lock",
      `import { printJson } from ${
        JSON.stringify(new URL("./output.ts", import.meta.url).href)
      }; printJson(${JSON.stringify(value)});`,
    ],
  }).output();
  const text = new TextDecoder().decode(stdout);
  deepEqual(JSON.parse(text), value);
  equal(/(?!\n)[\p{C}]/u.test(text), false);
});
