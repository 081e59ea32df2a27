/**
 * The tools of `docs/tools.md`, as `tools/list` describes them.
 *
 * @module
 */
import { BASE_GROUPS } from "../../mcp/tools/groups.ts";
import { TOOLS } from "../../mcp/tools/registry.ts";
import { describeTool } from "../../mcp/tools/tool.ts";
import { names, table } from "./markdown.ts";

type Property = Readonly<Record<string, unknown>>;

/** What is read here of a described tool. */
interface Described {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, Property>>;
    readonly required: readonly string[];
  };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
}

/** Each group that has tools, and each of its tools with its arguments. */
export function renderTools(): string {
  return [...Map.groupBy(TOOLS, ({ group }) => group)].flatMap(
    ([group, tools]) => [
      `## ${group}`,
      isBase(group)
        ? "A connection that names no groups has it."
        : "It has to be named.",
      ...tools.map((tool) =>
        section(describeTool(tool) as unknown as Described, tool.composites)
      ),
    ],
  ).join("\n\n");
}

function isBase(group: string): boolean {
  const base: readonly string[] = BASE_GROUPS;
  return base.includes(group);
}

function section(tool: Described, composites: readonly string[] = []): string {
  const { properties, required } = tool.inputSchema;
  const rows = Object.entries(properties).map(([name, property]) => [
    `\`${name}\`${required.includes(name) ? " (required)" : ""}`,
    typeOf(property),
    String(property.description ?? ""),
  ]);
  return [
    `### ${tool.name}`,
    `_${tool.title}. ${effectOf(tool)}._${
      composites.length === 0 ? "" : ` Also in ${names(composites)}.`
    }`,
    // A page stands for a while: the server's time is told by name.
    tool.description.replace(TIME_REGEXP, "(the server's time)"),
    rows.length === 0
      ? "It takes no arguments."
      : table(["argument", "type", "meaning"], rows),
  ].join("\n\n");
}

const TIME_REGEXP = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g;

function effectOf({ annotations }: Described): string {
  if (annotations.readOnlyHint) return "Reads";
  const words = [
    annotations.destructiveHint ? "may take away what was there" : undefined,
    annotations.idempotentHint ? "safe to repeat" : "each call adds",
  ].filter((word) => word !== undefined);
  return `Writes: ${words.join(", ")}`;
}

function typeOf(property: Property): string {
  const { type, enum: values, items } = property;
  if (Array.isArray(values)) return names(values.map(String));
  if (type === "array") return `list of ${typeOf((items ?? {}) as Property)}`;
  return `${type ?? "any"}${rangeOf(property)}`;
}

function rangeOf({ minimum, maximum, maxLength }: Property): string {
  if (typeof maxLength === "number") return `, at most ${maxLength} characters`;
  const top = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (minimum === undefined && top === undefined) return "";
  if (top === undefined) return `, from ${minimum}`;
  return minimum === undefined ? `, to ${top}` : `, ${minimum} to ${top}`;
}
