import { deepEqual, equal, match, ok } from "node:assert/strict";
import { COMPOSITE_GROUPS, GROUP_NAMES, toolsInGroups } from "./groups.ts";
import { NO_INPUT } from "../schema.ts";
import type { ToolGroup } from "./group.ts";
import { GROUPS, registered, TOOLS } from "./registry.ts";
import { defineTool, describeTool } from "./tool.ts";

/** Keywords that some clients or model APIs refuse anywhere in a schema. */
const REFUSED_KEYWORDS = [
  "$schema",
  "$ref",
  "$defs",
  "oneOf",
  "anyOf",
  "allOf",
];

function walk(value: unknown, visit: (node: Record<string, unknown>) => void) {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) visit(value as Record<string, unknown>);
  for (const item of Object.values(value)) walk(item, visit);
}

Deno.test("tool names are unique, [a-z_] and at most 40 characters", () => {
  const names = TOOLS.map((tool) => tool.name);
  equal(new Set(names).size, names.length);
  for (const name of names) match(name, /^[a-z_]{1,40}$/);
});

Deno.test("every tool has a title, a description and all four hints", () => {
  for (const tool of TOOLS) {
    // deno-lint-ignore no-explicit-any -- the wire form is looked at freely
    const shown = describeTool(tool) as any;
    ok(shown.title.length > 0 && shown.description.length > 40, tool.name);
    deepEqual(Object.keys(shown.annotations).sort(), [
      "destructiveHint",
      "idempotentHint",
      "openWorldHint",
      "readOnlyHint",
      "title",
    ]);
    equal(shown.annotations.readOnlyHint, tool.access === "read");
    if (tool.access === "read") equal(shown.annotations.destructiveHint, false);
  }
});

Deno.test("input schemas are plain: object roots, no references, no type lists", () => {
  for (const { name, input } of TOOLS) {
    equal(input.type, "object");
    equal(input.additionalProperties, false);
    ok(input.required.every((one) => one in input.properties), name);
    walk(input, (node) => {
      for (const keyword of REFUSED_KEYWORDS) {
        ok(!(keyword in node), `${name}: ${keyword}`);
      }
      ok(!Array.isArray(node.type), `${name}: type list`);
    });
    for (const property of Object.values(input.properties)) {
      ok(typeof property.type === "string", name);
      ok(typeof property.description === "string", name);
    }
  }
});

Deno.test("no tool takes what only a person sets, or what its group refuses", () => {
  for (const { name, access, input, refused = {} } of TOOLS) {
    for (const property of Object.keys(input.properties)) {
      ok(access === "read" || !/feedback$/.test(property), name);
      ok(!(property in refused), `${name}: ${property}`);
    }
  }
  for (const { name, group, refused } of TOOLS) {
    if (group !== "root_data" && group !== "memory") continue;
    match(refused?.session_id ?? "", /set by the server/, name);
    match(refused?.namespace ?? "", /set by the server/, name);
  }
});

Deno.test("a composite shows a tool by reference, or in its narrower form", () => {
  const fake = (name: string, title: string) =>
    defineTool({
      name,
      title,
      description: "",
      access: "write",
      isDestructive: false,
      isIdempotent: true,
      input: NO_INPUT,
      run: () => Promise.resolve(title),
    });
  const plain = fake("plain", "plain");
  const whole = fake("action", "whole");
  const narrow = fake("action", "narrow");
  const group = (
    name: string,
    kind: ToolGroup["kind"],
    tools: ToolGroup["tools"],
  ): ToolGroup => ({ name, kind, tools, isSessionDefault: false, summary: "" });
  const tools = registered([
    group("domain", "base", [plain, whole]),
    group("own", "composite", [plain, narrow]),
  ]);
  const titles = (...groups: string[]) =>
    toolsInGroups(tools, groups).map(({ title }) => title);
  deepEqual(titles("domain"), ["plain", "whole"]);
  deepEqual(titles("own"), ["plain", "narrow"]);
  deepEqual(titles("own", "domain"), ["plain", "whole"]);
});

Deno.test("every group says what it is for, and every announced answer is an object", () => {
  for (const { name, summary } of GROUPS) ok(summary.length > 20, name);
  for (const { name, output } of TOOLS) {
    if (output === undefined) continue;
    equal(output.type, "object", name);
    ok(output.required.every((one) => one in output.properties), name);
  }
});

Deno.test("every domain group has a read-only form, composites have none", () => {
  for (const tool of TOOLS) ok(GROUP_NAMES.includes(tool.group));
  for (const group of COMPOSITE_GROUPS) {
    ok(!GROUP_NAMES.includes(`${group}_readonly`));
  }
  equal(new Set(GROUP_NAMES).size, GROUP_NAMES.length);
});
