import { deepEqual, throws } from "node:assert/strict";
import { promotedFields } from "./entry.ts";
import { gateOf, surfaceOf } from "./names.ts";

Deno.test("gates are known by their names and aliases, surfaces are folded", () => {
  for (const name of ["pr", "PR_merge", " pr-merge-gate ", "Pr Gate"]) {
    deepEqual(gateOf(name), "pr_merge");
  }
  for (const name of ["issue", "issue-work", "ISSUE_WORK_GATE"]) {
    deepEqual(gateOf(name), "issue_work");
  }
  for (const name of ["", "prs", "constructor", "__proto__"]) {
    throws(() => gateOf(name), /gates: pr_merge, issue_work/);
  }
  deepEqual(
    surfaceOf("  Strad-Production  two\tthree "),
    "strad_production_two_three",
  );
});

Deno.test("the artifact is the first address of the gate's own field, without what ends the sentence", () => {
  const cases: [Record<string, unknown>, string | null][] = [
    [{ pr: "https://e.org/pull/1" }, "https://e.org/pull/1"],
    [{ pr: "PR (https://e.org/pull/1)." }, "https://e.org/pull/1"],
    [{ pr: "<HTTP://e.org/1>, https://e.org/2" }, "HTTP://e.org/1"],
    [{ pr: "[x](https://e.org/1)" }, "https://e.org/1"],
    [{ pr: "none", issue: "https://e.org/i/1!" }, "https://e.org/i/1"],
    [{ pr: ["https://e.org/1"] }, null],
    [{ pr: "ftp://e.org/1" }, null],
    [{ pr: "https://" }, null],
    [{}, null],
  ];
  for (const [entry, url] of cases) {
    deepEqual(promotedFields("pr_merge", entry).artifactUrl, url);
  }
  const both = { pr: "https://e.org/pull/1", issue: "https://e.org/i/1" };
  deepEqual(promotedFields("issue_work", both).artifactUrl, both.issue);
});

Deno.test("a day is taken where it exists in the calendar", () => {
  const dayOf = (decided_at: unknown) =>
    promotedFields("pr_merge", { decided_at }).decidedAt;
  deepEqual(dayOf("2028-02-29"), "2028-02-29");
  deepEqual(dayOf(" 2026-08-29T23:59:59+02:00"), "2026-08-29");
  for (
    const none of [
      "2026-02-29",
      "0000-01-01",
      "29.8.2026",
      "2026-08-291",
      7,
      null,
    ]
  ) {
    deepEqual(dayOf(none), null);
  }
});
