import { deepEqual, equal } from "node:assert/strict";
import {
  BASE_GROUPS,
  parseGroups,
  toolInGroups,
  toolsInGroups,
} from "./groups.ts";
import type { Scoped } from "./tool.ts";

interface Fake extends Scoped<Fake> {
  readonly name: string;
}

const restricted: Fake = {
  name: "action_session (self)",
  group: "sessions",
  access: "write",
};
const action: Fake = {
  name: "action_session",
  group: "sessions",
  access: "write",
  composites: ["self_session"],
  overrides: { self_session: restricted },
};
const ownCosts: Fake = {
  name: "get_costs (self)",
  group: "health",
  access: "read",
};
const costs: Fake = {
  name: "get_costs",
  group: "health",
  access: "read",
  composites: ["self_session"],
  overrides: { self_session: ownCosts },
};
const plain: Fake = {
  name: "get_configs",
  group: "sessions",
  access: "read",
  composites: ["self_session"],
};

Deno.test("absent and blank select the base groups, unknown names select nothing", () => {
  for (const value of [null, undefined, "", " ", ",", " , "]) {
    deepEqual(parseGroups(value), { groups: BASE_GROUPS, unknown: [] });
  }
  deepEqual(parseGroups("nope"), { groups: [], unknown: ["nope"] });
  deepEqual(parseGroups(" root_data ,nope,root_data"), {
    groups: ["root_data"],
    unknown: ["nope"],
  });
  deepEqual(parseGroups("self_session_readonly").groups, []);
});

Deno.test("a composite shows its narrower form only where the domain does not show the tool", () => {
  const cases: [string[], Fake, Fake | undefined][] = [
    [["sessions", "self_session"], action, action],
    [["sessions_readonly", "self_session"], action, restricted],
    [["self_session"], action, restricted],
    [["sessions_readonly"], action, undefined],
    [["health_readonly", "self_session"], costs, costs],
    [["self_session"], costs, ownCosts],
    [["self_session"], plain, plain],
    [["sessions_readonly"], plain, plain],
    [["health"], plain, undefined],
    [[], plain, undefined],
  ];
  for (const [groups, tool, shown] of cases) {
    equal(toolInGroups(tool, groups), shown);
  }
});

Deno.test("tools come in registry order, once, however groups are listed", () => {
  const tools = [action, costs, plain];
  deepEqual(
    toolsInGroups(tools, ["self_session", "health", "sessions"]).map((one) =>
      one.name
    ),
    ["action_session", "get_costs", "get_configs"],
  );
});
