import { equal, match, throws } from "node:assert/strict";
import { ScopeSyntaxError } from "../errors.ts";
import { parseActor, parseKind, parseRootPath } from "./scope.ts";
import { KINDS } from "../words.ts";

/** Asserts that reading fails at `offset` for a reason that matches. */
function refuses(
  read: (text: string) => unknown,
  text: string,
  offset: number,
  reason: RegExp,
): void {
  throws(() => read(text), (error) => {
    if (!(error instanceof ScopeSyntaxError)) return false;
    equal(error.input, text);
    equal(error.offset, offset, text);
    match(error.reason, reason);
    return true;
  });
}

Deno.test("parseKind() reads the three kinds and nothing else", () => {
  for (const kind of KINDS) equal(parseKind(kind), kind);
  for (const text of ["", "Document", "documents", " learning"]) {
    refuses(parseKind, text, 0, /kinds: document conversation learning/);
  }
});

Deno.test("parseRootPath() reads every type and trims what is outside", () => {
  const all = "org:a/dept:b/team:c/app:d/user:e/agent:f/service:g/ws:h/" +
    "project:i/source:j";
  equal(parseRootPath(all), all);
  equal(parseRootPath(" \n//org:42/ws:m//\t"), "org:42/ws:m");
  equal(parseRootPath("app:tinymemory2"), "app:tinymemory2");
  const long = `org:${"x".repeat(1000)}`;
  equal(parseRootPath(long), long);
});

Deno.test("parseRootPath() says what is wrong and where", () => {
  const table: [text: string, offset: number, reason: RegExp][] = [
    ["", 0, /at least one segment/],
    [" // ", 3, /at least one segment/],
    ["org", 0, /has no ":"/],
    [" /org:42/ws", 9, /"ws" has no ":"/],
    ["org:42//ws:m", 7, /segment is empty/],
    ["/ org:42", 1, /" org" is no root type/],
    ["org:42 /", 6, /id holds " "/],
    ["kb:x", 0, /"kb" is no root type/],
    ["global:x", 0, /no root type/],
    ["ORG:42", 0, /no root type/],
    ["org:", 4, /id is empty/],
    ["org:a:b", 5, /id holds ":"/],
    ["org:é", 4, /id holds "\\u00e9"/],
    ["org:42/app:tinymemory", 7, /"app:tinymemory" is reserved/],
    ["app:tinymemory/org:42", 0, /"app:tinymemory" is reserved/],
    ["app:brain", 0, /reserved/],
    ["org:1/app:flows", 6, /reserved/],
    ["app:documents", 0, /reserved/],
    ["app:conversations", 0, /reserved/],
    ["app:learnings", 0, /reserved/],
  ];
  for (const [text, offset, reason] of table) {
    refuses(parseRootPath, text, offset, reason);
  }
});

Deno.test("parseActor() reads any text that is not blank", () => {
  equal(parseActor("user:42"), "user:42");
  equal(parseActor(" 42 "), "42");
  equal(parseActor("key of Zoë"), "key of Zoë");
  refuses(parseActor, "", 0, /not blank/);
  refuses(parseActor, " \t", 0, /not blank/);
  refuses(parseActor, " user:4\n2", 7, /no control character/);
  refuses(parseActor, "user\x7f", 4, /no control character/);
});
