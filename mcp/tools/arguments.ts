/**
 * Arguments of a call: coerced and checked against the tool's schema before any
 * tool code runs.
 *
 * Clients and models send what they mean in different forms, so a value that
 * can mean one thing only is taken as that (docs/tools.md lists the rules):
 * null for an argument that may be left out is absent, text where a number, a
 * boolean, a list or an object belongs is read as JSON, a number where text
 * belongs becomes text, and one text where a list of texts belongs a list of
 * one. A text field is never read as anything else. Free objects are passed on
 * untouched: what is in them is data.
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
import type { InputSchema, Schema } from "../schema.ts";
import type { ToolDefinition } from "./tool.ts";

/**
 * Arguments that hosts add to every call of every tool, for themselves: Gemini
 * CLI, n8n, Cline, and clients that give tools without arguments one.
 */
const HOST_ARGUMENTS: readonly string[] = [
  "wait_for_previous",
  "toolCallId",
  "task_progress",
  "random_string",
];
const MAX_PROBLEMS = 10;

const ajv = new Ajv2020({ allErrors: true, strict: true });
const validators = new WeakMap<InputSchema, ValidateFunction>();

/** What takes arguments: a tool, or a route of the REST interface. */
export type ArgumentTaker = Pick<ToolDefinition, "name" | "input" | "refused">;

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Returns the arguments that the tool may rely on.
 *
 * @throws {ToolError} Names what is wrong, and what would be right.
 */
export function checkArguments(
  tool: ArgumentTaker,
  args: unknown,
): Arguments {
  const given = args ?? {};
  if (!isObject(given)) {
    throw new ToolError("Invalid arguments: they must be a JSON object");
  }
  const known = tool.input.properties;
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(known, name) && !HOST_ARGUMENTS.includes(name)) {
      throw unknownArgument(tool, name);
    }
  }
  const coerced = coerceMembers(known, given);
  const missing = tool.input.required.filter((name) =>
    coerced[name] === undefined
  );
  if (missing.length > 0) {
    const isNull = missing.some((name) => given[name] === null);
    throw new ToolError(
      `Missing required arguments: ${missing.join(", ")}${
        isNull ? " (null counts as left out)" : ""
      }`,
    );
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

/** The members of an object, each as its own schema wants it. */
function coerceMembers(
  properties: Readonly<Record<string, Schema>>,
  given: Arguments,
): Arguments {
  const coerced: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const property = properties[name];
    if (property === undefined) {
      // An object inside an argument: its schema refuses what it does not know.
      if (!HOST_ARGUMENTS.includes(name)) coerced[name] = value;
    } else if (!isAbsent(property, value)) {
      coerced[name] = coerce(property, value);
    }
  }
  return coerced;
}

/** Whether a value says that there is none. */
function isAbsent(schema: Schema, value: unknown): boolean {
  if (value === null) return true;
  // Blank text is a text; where something else belongs, a form left empty.
  return value === "" && (schema.type !== "string" || "enum" in schema);
}

function coerce(schema: Schema, value: unknown): unknown {
  const read = fromText(schema, value);
  if (schema.type === "string") {
    return typeof read === "number" && Number.isFinite(read)
      ? String(read)
      : read;
  }
  if (schema.type === "array") return coerceItems(schema, read);
  if (schema.type === "object" && "properties" in schema && isObject(read)) {
    return coerceMembers(
      schema.properties as Readonly<Record<string, Schema>>,
      read,
    );
  }
  return read;
}

function coerceItems(schema: Schema, value: unknown): unknown {
  const items = schema.items as Schema | undefined;
  if (items === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => coerce(items, item));
  const isOneText = typeof value === "string" && items.type === "string";
  return isOneText ? [value] : value;
}

/** Text as the JSON that it is, where the schema wants no text. */
function fromText({ type }: Schema, value: unknown): unknown {
  if (typeof value !== "string" || type === "string" || type === undefined) {
    return value;
  }
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

function isObject(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describeProblem(error: ErrorObject, args: Arguments): string {
  const name = error.instancePath.slice(1) || "arguments";
  const value = args[name];
  if (error.keyword === "maxLength" && typeof value === "string") {
    return `${name} is ${
      [...value].length
    } characters; the limit is ${error.params.limit}`;
  }
  return `${cutText(name, 200)} ${error.message}${allowedValues(error.params)}`;
}

function allowedValues(params: Arguments): string {
  return Array.isArray(params.allowedValues)
    ? `: ${params.allowedValues.join(", ")}`
    : "";
}
