/**
 * What a route of the REST interface is.
 *
 * One declaration serves three ends: its input schema validates what comes in
 * and its schemas are the OpenAPI document.
 *
 * @module
 */
import type { InputSchema, Services, ToolArguments } from "../tools/tool.ts";

/** Where the routes live. */
export const PREFIX = "/api/v1";

/** A JSON Schema of the OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;

/** What a route knows of its request beside the arguments. */
export interface RestCall {
  /** What the server is built from. */
  readonly services: Services;
  /** Where the client reached this server: scheme, host and port. */
  readonly origin: string;
  /** The API key that the request came with. */
  readonly key: string;
}

/** A route. */
export interface RestRoute {
  /** GET takes its arguments from the query, POST from a JSON body. */
  readonly method: "GET" | "POST";
  /** Below the prefix; `{name}` is an argument. */
  readonly path: string;
  /** Name for generated clients. */
  readonly operationId: string;
  /** What it does. */
  readonly summary: string;
  /** Its arguments, those of the path among them. */
  readonly input: InputSchema;
  /** Status of the answer. @default {200} */
  readonly status?: 201;
  /** The answer. */
  readonly output: Schema;
  /** Answers a request whose arguments passed the schema. */
  run(call: RestCall, args: ToolArguments): Promise<object>;
}

/** Declares a route; gives the literal its type and nothing else. */
export function defineRoute(route: RestRoute): RestRoute {
  return route;
}

/** Names of the arguments in a path, in order. */
export function pathNames(path: string): readonly string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => String(name));
}

/** An input of these properties. */
export function inputOf(
  properties: InputSchema["properties"],
  required: readonly string[] = [],
): InputSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

/** An input that takes nothing. */
export const NO_INPUT: InputSchema = inputOf({});
