/**
 * Arguments of a call: coerced and checked against the tool's schema before any
 * tool code runs.
 *
 * Some clients send every argument as text. A text is read as JSON where the
 * schema wants a number, a boolean, an array or an object, and only there: a
 * text field is never read as anything else.
 *
 * @module
 */
import {
  Ajv2020,
  type ErrorObject,
  type ValidateFunction,
} from "ajv/dist/2020.js";
import { ToolError } from "../errors.ts";
import { cutText } from "../render.ts";
import type { InputSchema } from "../schema.ts";
import type { ToolDefinition } from "./tool.ts";

const MAX_PROBLEMS = 10;

const ajv = new Ajv2020({ allErrors: true, strict: true });
const validators = new WeakMap<InputSchema, ValidateFunction>();

/** What takes arguments: a tool, or a route of the REST interface. */
export type ArgumentTaker = Pick<ToolDefinition, "name" | "input" | "refused">;

/**
 * Returns the arguments that the tool may rely on.
 *
 * @throws {ToolError} Names what is wrong, and what would be right.
 */
export function checkArguments(
  tool: ArgumentTaker,
  args: unknown,
): Readonly<Record<string, unknown>> {
  const given = args ?? {};
  if (typeof given !== "object" || Array.isArray(given)) {
    throw new ToolError("Invalid arguments: they must be a JSON object");
  }
  const known = tool.input.properties;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(known, name)) throw unknownArgument(tool, name);
  }
  const coerced = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      coerce(known[name]?.type, value),
    ]),
  );
  const missing = tool.input.required.filter((name) =>
    coerced[name] === undefined || coerced[name] === null
  );
  if (missing.length > 0) {
    throw new ToolError(`Missing required arguments: ${missing.join(", ")}`);
  }
  const validate = validatorOf(tool.input);
  if (validate(coerced)) return coerced;
  const problems = (validate.errors ?? []).map((error) =>
    describeProblem(error, coerced)
  );
  const more = problems.length - MAX_PROBLEMS;
  throw new ToolError(
    `Invalid arguments: ${problems.slice(0, MAX_PROBLEMS).join("; ")}${
      more > 0 ? `; and ${more} more` : ""
    }`,
    { problems: problems.slice(0, MAX_PROBLEMS) },
  );
}

function validatorOf(schema: InputSchema): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validate = ajv.compile(schema);
  validators.set(schema, validate);
  return validate;
}

function unknownArgument(tool: ArgumentTaker, name: string): ToolError {
  const reason = tool.refused?.[name];
  if (reason !== undefined) return new ToolError(reason);
  const names = Object.keys(tool.input.properties);
  return new ToolError(
    `Unknown argument "${cutText(name, 80)}"; ${
      names.length === 0
        ? `${tool.name} takes none`
        : `${tool.name} takes: ${names.join(", ")}`
    }`,
  );
}

function coerce(type: unknown, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (type === "string" || type === undefined) return value;
  let read: unknown;
  try {
    read = JSON.parse(value);
  } catch {
    return value;
  }
  const actual = Array.isArray(read) ? "array" : typeof read;
  const fits = actual === type ||
    (type === "integer" && Number.isInteger(read));
  return fits && read !== null ? read : value;
}

function describeProblem(
  error: ErrorObject,
  args: Readonly<Record<string, unknown>>,
): string {
  const name = error.instancePath.slice(1) || "arguments";
  const value = args[name];
  if (error.keyword === "maxLength" && typeof value === "string") {
    return `${name} is ${
      [...value].length
    } characters; the limit is ${error.params.limit}`;
  }
  return `${name} ${error.message}${allowedValues(error.params)}`;
}

function allowedValues(params: Readonly<Record<string, unknown>>): string {
  return Array.isArray(params.allowedValues)
    ? `: ${params.allowedValues.join(", ")}`
    : "";
}
