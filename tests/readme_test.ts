import { deepEqual, ok } from "node:assert/strict";
import {
  BASE_GROUPS,
  COMPOSITE_GROUPS,
  GROUP_NAMES,
} from "../mcp/tools/groups.ts";
import { TOOLS } from "../mcp/tools/registry.ts";
import readme from "../README.md" with { type: "text" };

const MAX_BYTES = 8_192;

/** Each row of the table of groups: name, who has it, what for. */
const ROWS = readme.split("\n")
  .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
  .filter(([first]) => /^`[a-z_]+`$/.test(first ?? ""))
  .map(([name = "", has = "", purpose = ""]) =>
    [name.slice(1, -1), has, purpose] as const
  );

function hasOf(group: string): string {
  const within = (names: readonly string[]) => names.includes(group);
  if (within(BASE_GROUPS)) return "default";
  return within(COMPOSITE_GROUPS) ? "to be named, a composite" : "to be named";
}

Deno.test("the README is what one needs first: 8 KB", () => {
  const { length } = new TextEncoder().encode(readme);
  ok(length <= MAX_BYTES, `it has ${length} bytes`);
});

Deno.test("the README's table has every group, and who has it", () => {
  const all = GROUP_NAMES.filter((name) => !name.endsWith("_readonly"));
  deepEqual(ROWS.map(([name]) => name).toSorted(), all.toSorted());
  deepEqual(
    ROWS.map(([name, has]) => [name, has]),
    ROWS.map(([name]) => [name, hasOf(name)]),
  );
});

Deno.test("the README says of a group that it has no tools exactly where it has none", () => {
  const filled = new Set<string>(
    TOOLS.flatMap(({ group, composites = [] }) => [group, ...composites]),
  );
  for (const [name, , purpose] of ROWS) {
    deepEqual([name, purpose !== "known name, no tools yet"], [
      name,
      filled.has(name),
    ]);
  }
});
