import { deepEqual, throws } from "node:assert/strict";
import { replaceFigures, type Report } from "./report.ts";

const PAGE = `# Performance

<!-- figures -->

An old machine.

| command                   | measure      | figure  | bar | met | load |
| ------------------------- | ------------ | ------- | --- | --- | ---- |
| \`deno task bench first\`  | old: ratio   | 9.00 ×  |     |     | 0.1  |
| \`deno task bench second\` | kept: ratio  | 2.00 ×  |     |     | 0.2  |
| \`deno task bench gone\`   | taken: ratio | 1.00 ×  |     |     | 0.3  |

<!-- /figures -->

What comes behind.
`;

const REPORT: Report = {
  name: "first",
  summary: "",
  load: 3.14,
  parts: [
    {
      title: "part",
      rows: [],
      figures: [
        { label: "a|b", value: 1.5, unit: "×", bar: { atMost: 1.25 } },
        { label: "memory", value: 99, unit: "MiB", bar: { atMost: 110 } },
      ],
    },
    {
      title: "times",
      rows: [{ label: "call", count: 3, p50: 2, p99: 4, rate: 500 }],
      figures: [],
    },
  ],
};

Deno.test("a run replaces its own rows, keeps those of benchmarks that were not run, and says which have none", () => {
  const page = replaceFigures(PAGE, {
    reports: [REPORT],
    names: ["first", "second", "third"],
    machine: "A machine.",
  });
  deepEqual(page.split("\n").filter((line) => line !== ""), [
    "# Performance",
    "<!-- figures -->",
    "A machine.",
    "| command | measure | figure | bar | met | load |",
    "| --- | --- | --- | --- | --- | --- |",
    "| `deno task bench first` | part: a/b | 1.50 × | at most 1.25 × | **no** | 3.1 |",
    "| `deno task bench first` | part: memory | 99.0 MiB | at most 110 MiB | yes | 3.1 |",
    "| `deno task bench first` | times: call, p50 | 2.00 ms |  |  | 3.1 |",
    "| `deno task bench second` | kept: ratio | 2.00 × |  |  | 0.2 |",
    "| `deno task bench third` | not measured |  |  |  |  |",
    "<!-- /figures -->",
    "What comes behind.",
  ]);
});

Deno.test("a page without marks is refused", () => {
  throws(
    () => replaceFigures("text", { reports: [], names: [], machine: "" }),
    /needs the lines <!-- figures --> and <!-- \/figures -->/,
  );
});
