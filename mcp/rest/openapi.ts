/**
 * The OpenAPI 3.1 document, made of the declarations that the routes run on.
 *
 * @module
 */
import { VERSION } from "../version.ts";
import { type DescribedRoute, pathNames, PREFIX } from "./route.ts";
import type { Schema } from "../schema.ts";
import { COMPONENTS, ERROR } from "./components.ts";

const REFUSALS: Readonly<Record<string, string>> = {
  "401": "No valid credential; for a runner, also once it is revoked",
  "403": "A session's token, which does not open this interface",
  "404": "There is no such thing",
  "408": "The body did not arrive in time",
  "409": "It is not in a state that allows this",
  "413": "The body, or a part of it, is too large",
  "415": "The body is not declared as JSON",
  "422": "An argument is missing, unknown or wrong; each is named",
  "429": "Too many wrong credentials came from this address",
  "503": "Database, catalog or server cannot do it now; try again shortly",
};

/** Builds the document. */
export function describeApi(routes: readonly DescribedRoute[]): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of routes) {
    const path = paths[route.path] ??= {};
    path[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Rootcellar",
      version: VERSION,
      description:
        "Sessions, and read-only views of root data, catalog and health. The tools of agents are at POST /mcp.",
    },
    servers: [{ url: PREFIX }],
    security: [{ api_key: [] }, { bearer: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(COMPONENTS).map(([name, schema]) => [
          name,
          partsByName(schema),
        ]),
      ),
      securitySchemes: {
        api_key: { type: "apiKey", in: "header", name: "X-API-Key" },
        bearer: { type: "http", scheme: "bearer" },
        runner: {
          type: "http",
          scheme: "bearer",
          description: "A runner's token, rcn_…; it opens these routes only",
        },
      },
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, description]) => [
          `Refused${status}`,
          { description, content: json(byName(ERROR)) },
        ]),
      ),
    },
  };
}

function operationOf(route: DescribedRoute): Schema {
  const { input, method } = route;
  const inPath = pathNames(route.path);
  const rest = Object.keys(input.properties)
    .filter((name) => !inPath.includes(name));
  const inQuery = method === "GET" ? rest : [];
  const parameters = [
    ...inPath.map((name) => parameterOf(route, name, "path")),
    ...inQuery.map((name) => parameterOf(route, name, "query")),
  ];
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.isForRunners === true ? { security: [{ runner: [] }] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(method === "POST" && rest.length > 0
      ? { requestBody: bodyOf(route, rest) }
      : {}),
    responses: {
      [String(route.status ?? 200)]: {
        description: "Done",
        content: route.media === undefined
          ? json(byName(route.output))
          : { [route.media]: { schema: route.output } },
      },
      ...Object.fromEntries(
        Object.keys(REFUSALS).map((status) => [
          status,
          { $ref: `#/components/responses/Refused${status}` },
        ]),
      ),
    },
  };
}

function parameterOf(
  { input }: DescribedRoute,
  name: string,
  place: "path" | "query",
): Schema {
  const { description, ...schema } = input.properties[name] ?? {};
  return {
    name,
    in: place,
    description,
    required: input.required.includes(name),
    // An object in a query is JSON text.
    ...(schema.type === "object" ? { content: json(schema) } : { schema }),
  };
}

function bodyOf({ input }: DescribedRoute, names: readonly string[]): Schema {
  return {
    required: input.required.some((name) => names.includes(name)),
    content: json({
      ...input,
      properties: Object.fromEntries(
        names.map((name) => [name, input.properties[name]]),
      ),
      required: input.required.filter((name) => names.includes(name)),
    }),
  };
}

function json(schema: unknown): Schema {
  return { "application/json": { schema } };
}

const NAMES: ReadonlyMap<unknown, string> = new Map(
  Object.entries(COMPONENTS).map(([name, schema]) => [schema, name]),
);

/** The schema, with every component in it replaced by its name. */
function byName(schema: unknown): unknown {
  const name = NAMES.get(schema);
  return name === undefined
    ? partsByName(schema)
    : { $ref: `#/components/schemas/${name}` };
}

function partsByName(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(byName);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [name, byName(part)]),
  );
}
