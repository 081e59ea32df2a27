/**
 * The routes of `docs/rest.md`, as the OpenAPI document describes them.
 *
 * @module
 */
import { describeApi } from "../../mcp/rest/openapi.ts";
import { DESCRIBED_ROUTES } from "../../mcp/rest/routes.ts";
import { names, table } from "./markdown.ts";

/** What is read here of an operation of the document. */
interface Operation {
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
  }[];
  readonly requestBody?: {
    readonly content: {
      readonly "application/json": {
        readonly schema: {
          readonly properties: Readonly<Record<string, unknown>>;
        };
      };
    };
  };
}

/** Method, path, what it does, and the names of its arguments. */
export function renderRoutes(): string {
  const paths = describeApi(DESCRIBED_ROUTES).paths as Readonly<
    Record<string, Readonly<Record<string, Operation>>>
  >;
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [
      `\`${method.toUpperCase()} ${path}\``,
      operation.summary,
      names(argumentsOf(operation)),
    ])
  );
  return table(["route", "does", "arguments"], rows);
}

function argumentsOf({ parameters = [], requestBody }: Operation): string[] {
  const schema = requestBody?.content["application/json"].schema;
  return [
    ...parameters.filter((one) => one.in === "query").map(({ name }) => name),
    ...Object.keys(schema?.properties ?? {}),
  ];
}
