/**
 * All groups and tools, in the order in which `tools/list` shows them.
 *
 * Whatever else knows of groups (names, defaults, instructions, entries,
 * documents) is derived from this list.
 *
 * @module
 */
import { gateDecisionsGroup } from "./gate_decisions/group.ts";
import type { ToolGroup } from "./group.ts";
import { healthGroup } from "./health/group.ts";
import { memoryGroup } from "./memory/group.ts";
import { notificationsGroup } from "./notifications/group.ts";
import { rootDataGroup } from "./root_data/group.ts";
import { selfSessionGroup } from "./self_session/group.ts";
import { sessionsGroup } from "./sessions/group.ts";
import type { Tool, ToolDefinition } from "./tool.ts";
import { triggersGroup } from "./triggers/group.ts";
import { workBacklogGroup } from "./work_backlog/group.ts";

/** The groups. */
export const GROUPS: readonly ToolGroup[] = [
  sessionsGroup,
  notificationsGroup,
  triggersGroup,
  healthGroup,
  gateDecisionsGroup,
  workBacklogGroup,
  rootDataGroup,
  memoryGroup,
  selfSessionGroup,
];

/** The tools, each in its domain group. */
export const TOOLS: readonly Tool[] = registered(GROUPS);

/**
 * Joins groups to a registry: a tool belongs to its domain group, and knows in
 * which composites it stands in which form.
 */
export function registered(groups: readonly ToolGroup[]): Tool[] {
  const composites = groups.filter(({ kind }) => kind === "composite");
  return groups.filter(({ kind }) => kind !== "composite")
    .flatMap(({ name: group, refused, tools }) =>
      tools.map((tool) =>
        inComposites(
          { ...tool, group, refused: { ...refused, ...tool.refused } },
          composites,
        )
      )
    );
}

function inComposites(tool: Tool, composites: readonly ToolGroup[]): Tool {
  const forms = composites.flatMap((group): [string, ToolDefinition][] => {
    const form = group.tools.find(({ name }) => name === tool.name);
    return form === undefined ? [] : [[group.name, form]];
  });
  if (forms.length === 0) return tool;
  const names = forms.map(([name]) => name);
  return {
    ...tool,
    composites: names,
    // A form knows its composites, too: a token's groups narrow it once more.
    overrides: Object.fromEntries(
      forms.map(([name, form]) => [
        name,
        { ...form, group: tool.group, composites: names },
      ]),
    ),
  };
}
