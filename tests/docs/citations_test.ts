import { deepEqual, equal, ok } from "node:assert/strict";
import {
  CASES_PAGE,
  casesOf,
  citationFaults,
  namedCases,
  sectionsOf,
} from "./citations.ts";
import { filesOf, readFile } from "./repository.ts";

/** These tests show what a bad citation looks like. */
const OWN = "tests/docs/citations";

Deno.test("every paper, section and case that code cites is there", () => {
  let citations = 0;
  const faults = filesOf([".ts", ".sql", ".lua", ".mjs"]).flatMap((path) => {
    if (path.startsWith(OWN)) return [];
    const text = readFile(path) ?? "";
    citations += text.match(/Specification:|\[cases? /g)?.length ?? 0;
    return citationFaults(text, readFile).map((fault) => `${path}: ${fault}`);
  });
  deepEqual(faults, []);
  ok(citations > 80, `only ${citations} citations were found`);
});

Deno.test("the golden table names the page that it holds", () => {
  const table = JSON.parse(readFile("tests/data/scope-vectors.json") ?? "");
  ok(readFile(table.spec) !== undefined, table.spec);
});

Deno.test("the cases are numbered from 1 without a gap", () => {
  const cases = [...casesOf(readFile(CASES_PAGE) ?? "")];
  deepEqual(cases, cases.map((_, index) => String(index + 1)));
  ok(cases.length >= 68);
});

Deno.test("every case is held by a test that names it", () => {
  const named = new Set(
    filesOf(["_test.ts"]).filter((path) => !path.startsWith(OWN))
      .flatMap((path) => namedCases(readFile(path) ?? "")),
  );
  const listed = [...casesOf(readFile(CASES_PAGE) ?? "")];
  deepEqual(listed.filter((number) => !named.has(number)), []);
});

const PAGE =
  "# Page\n\n## 4. One\n\n### 4.2 Two\n\n<!-- cases -->\n\n| 7 | x |\n";
const readPage = (path: string) =>
  path === "docs/spec/page.md" || path === CASES_PAGE ? PAGE : undefined;

Deno.test.each([
  ["// Specification: docs/spec/page.md section 4."],
  ["/**\n * Specification: docs/spec/page.md\n * sections 4 and 4.2.\n */"],
  ["-- Specification: docs/spec/page.md section 4; docs/spec/page.md section 4.2"],
  ["(Specification: docs/spec/page.md section 4.2)"],
  ['test("[case 7] holds"); /^\\[case 7\\]/'],
  ["the OpenAPI specification's own schema, as RFC 9110 section 5.3 has it"],
])("citationFaults() takes %s", (text) => {
  deepEqual(citationFaults(text, readPage), []);
});

Deno.test.each([
  ["// Specification: docs/spec/none.md section 4.", /does not exist/],
  ["// Specification: docs/spec/page.md section 5.", /no section 5/],
  ["// as docs/spec/page.md section 5 has it", /no section 5/],
  ["// Specification: docs/spec/page.md section 4.3.", /no section 4\.3/],
  ["// Specification: docs/spec/page.md sections 4 and 9.", /no section 9/],
  [
    "// Specification: docs/spec/page.md section 4; docs/x.md section 1.",
    /x\.md/,
  ],
  ["// Specification: root-data section 4.", /no known form/],
  ["// Specification: docs/spec/page.md, the fourth part", /no known form/],
  ["// Specification: docs/spec/page.md", /no known form/],
  ["// Design section 4.", /of what/],
  ["// see the specification,\n// section 2.3", /of what/],
  ['test("[case 8] holds")', /no case 8/],
  ['test("[cases 7, 9] hold")', /no case 9/],
  ['test("[case seven] holds")', /no known form/],
])("citationFaults() refuses %s", (text, expected) => {
  const faults = citationFaults(text, readPage);
  ok(faults.some((fault) => expected.test(fault)), JSON.stringify(faults));
});

Deno.test("sectionsOf() reads numbered headings only", () => {
  equal([...sectionsOf(`${PAGE}## Unnumbered\n`)].join(), "4,4.2");
});
