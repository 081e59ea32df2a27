/**
 * A tool as a route: the same arguments, the same rules, the same answer, so
 * that the two cannot differ.
 *
 * @module
 */
import { TEXT } from "../../schema.ts";
import { type ToolDefinition, Written } from "../../tools/tool.ts";
import { pathNames, type RestRoute } from "../route.ts";

/** How a tool stands among the routes. */
export interface ToolRoute
  extends Pick<RestRoute, "method" | "path" | "operationId" | "summary"> {
  /** Status of the answer. @default {200} */
  readonly status?: 201;
  /** Arguments that the route itself gives. */
  readonly fixed?: Readonly<Record<string, unknown>>;
}

/**
 * Makes it. The answer holds the tool's data, and what it says for reading as
 * `markdown`.
 */
export function routeOfTool(
  tool: ToolDefinition,
  { fixed = {}, ...route }: ToolRoute,
): RestRoute {
  const { input, output } = tool;
  const properties = Object.fromEntries(
    Object.entries(input.properties).filter(([name]) =>
      !Object.hasOwn(fixed, name)
    ),
  );
  const required = new Set([...input.required, ...pathNames(route.path)]);
  return {
    ...route,
    input: {
      ...input,
      properties,
      required: [...required].filter((name) => !Object.hasOwn(fixed, name)),
    },
    output: {
      type: "object",
      properties: {
        ...output?.properties,
        markdown: { ...TEXT, description: "The same, for reading" },
      },
      required: [...output?.required ?? [], "markdown"],
    },
    async run({ connection, services, signal }, args) {
      const value = await tool.run(
        { connection, services, signal },
        { ...args as object, ...fixed },
      );
      if (value instanceof Written) {
        return { ...value.data, markdown: value.text };
      }
      return typeof value === "string"
        ? { markdown: value }
        : { ...value, markdown: JSON.stringify(value) };
    },
  };
}
