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

const MAX_SHOWN_CHARACTERS = 80;

// Verbose: an error carries the value and the schema that it is about.
const ajv = new Ajv2020({ allErrors: true, strict: true, verbose: true });
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
  const problems = problemsOf(validate.errors ?? []);
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

/** One sentence for each thing that is wrong, with the value as it came. */
function problemsOf(errors: readonly ErrorObject[]): readonly string[] {
  const mistyped = new Set(
    errors.filter(({ keyword }) => keyword === "type")
      .map(({ instancePath }) => instancePath),
  );
  // What has the wrong type is in no list of words either.
  return errors
    .filter(({ keyword, instancePath }) =>
      keyword !== "enum" || !mistyped.has(instancePath)
    )
    .map(describeProblem);
}

function describeProblem(error: ErrorObject): string {
  const { keyword, params, data } = error;
  const name = cutText(error.instancePath.slice(1) || "arguments", 200);
  if (keyword === "maxLength" && typeof data === "string") {
    return `${name} is ${
      [...data].length
    } characters; the limit is ${params.limit}`;
  }
  if (keyword === "additionalProperties") {
    const { properties = {} } = error.parentSchema as Schema;
    return `${name} must NOT have additional properties: "${
      cutText(params.additionalProperty, MAX_SHOWN_CHARACTERS)
    }" is not among ${Object.keys(properties as object).join(", ")}`;
  }
  const said = `${name} ${error.message}${allowedValues(params)}`;
  return keyword === "required" ? said : `${said} (this is ${shown(data)})`;
}

/** A value as a refusal names it: the beginning of a text, a list's length. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return isObject(value)
    ? "an object"
    : cutText(JSON.stringify(value), MAX_SHOWN_CHARACTERS);
}

function allowedValues(params: Arguments): string {
  return Array.isArray(params.allowedValues)
    ? `: ${params.allowedValues.join(", ")}`
    : "";
}
