import { equal } from "node:assert/strict";
import { lastLogWords, lastWords } from "./last_words.ts";

const AT = "2026-12-01 00:00:00.000 UTC [7] ";

Deno.test("lastLogWords() begins with what the server died of", async (t) => {
  const cases: [string, string[], string][] = [
    [
      "a full disk in the write-ahead log",
      [
        'PANIC:  could not write to file "pg_wal/x": No space left on device',
        "LOG:  client backend (PID 9) was terminated by signal 6: Aborted",
        "LOG:  terminating any other active server processes",
        "FATAL:  the database system is in recovery mode",
        'FATAL:  could not write to file "pg_wal/y": No space left on device',
        "LOG:  startup process (PID 11) exited with exit code 1",
        "LOG:  shutting down due to startup process failure",
        "LOG:  database system is shut down",
      ],
      'PANIC:  could not write to file "pg_wal/x": No space left on device | FATAL:  could not write to file "pg_wal/y": No space left on device | LOG:  database system is shut down',
    ],
    [
      "the same cause again and again",
      ["FATAL:  a", "FATAL:  a", "FATAL:  b", "LOG:  c", "LOG:  d"],
      "FATAL:  a | FATAL:  b | LOG:  d",
    ],
    [
      "more causes than are quoted",
      ["FATAL:  a", "FATAL:  b", "FATAL:  c", "FATAL:  d", "LOG:  e"],
      "FATAL:  a | FATAL:  b | FATAL:  c",
    ],
    [
      "callers that were turned away",
      [
        "LOG:  a",
        "LOG:  b",
        "FATAL:  the database system is shutting down",
        "FATAL:  sorry, too many clients already",
        "FATAL:  terminating connection due to administrator command",
      ],
      "FATAL:  the database system is shutting down | FATAL:  sorry, too many clients already | FATAL:  terminating connection due to administrator command",
    ],
    ["no word of a cause", ["LOG:  a", "LOG:  b"], "LOG:  a | LOG:  b"],
    ["nothing", [], ""],
  ];
  for (const [name, lines, expected] of cases) {
    await t.step(name, () => {
      equal(
        lastLogWords(lines.map((line) => `${AT}${line}\n`).join("")),
        expected,
      );
    });
  }
});

Deno.test("lastWords() leaves out what is no error, where there is one", () => {
  equal(
    lastWords("working ...\ninitdb: error: no\n\nbye\n"),
    "initdb: error: no",
  );
  equal(lastWords("a\nb\nc\nd\n"), "b | c | d");
});
