/**
 * What a schema compiler says, turned into problems for people.
 *
 * @module
 */

import type { JsonObject } from "../parse/json.ts";
import { PatternError } from "./patterns.ts";
import { cutText } from "../parse/problems.ts";
import { findKeyword } from "./schema_facts.ts";
import type { Problem } from "../types.ts";

const SCHEME_REGEXP = /^[a-z][a-z0-9+.-]*:/i;
const MAX_SHOWN_CHARS = 120;

/** What is used of a validator's error. */
export interface ValidatorError {
  /** Pointer into the data. */
  readonly instancePath: string;
  /** Keyword that is not met. */
  readonly keyword: string;
  /** Its values. */
  readonly params: Readonly<Record<string, unknown>>;
  /** What it says. */
  readonly message?: string;
}

/** Turns validator errors into problems; the same problem is listed once. */
export function toProblems(errors: readonly ValidatorError[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const error of errors) {
    // "if" only repeats that a branch below failed.
    if (error.keyword === "if" && errors.length > 1) continue;
    const reason = describeError(error);
    const { instancePath: pointer } = error;
    problems.set(`${pointer}\n${reason}`, { pointer, reason });
  }
  return [...problems.values()];
}

/** Explains why a schema could not be compiled, with its place if found. */
export function toSchemaProblem(error: unknown, schema: JsonObject): Problem {
  if (error instanceof PatternError) {
    const { pattern, message } = error;
    return { pointer: findPattern(schema, pattern), reason: message };
  }
  if (error instanceof RangeError) {
    return {
      pointer: "",
      reason: "It nests too deeply or is too large to compile",
    };
  }
  if (!(error instanceof Error)) return { pointer: "", reason: "Not usable" };
  if ("missingRef" in error && typeof error.missingRef === "string") {
    return toReferenceProblem(error.missingRef, schema);
  }
  const { message } = error;
  const keyword = /unknown keyword: "(.*)"/s.exec(message)?.[1];
  if (keyword !== undefined) {
    return {
      pointer: findKeyword(schema, (key) => key === keyword) ?? "",
      reason: `Unknown keyword "${cutText(keyword, MAX_SHOWN_CHARS)}": ` +
        'check the spelling, or start the names of remarks with "x-"',
    };
  }
  const format = /unknown format "(.*?)" /s.exec(message)?.[1];
  if (format !== undefined) {
    const pointer = findKeyword(
      schema,
      (key, value) => key === "format" && value === format,
    );
    const shown = cutText(format, MAX_SHOWN_CHARS);
    return { pointer: pointer ?? "", reason: `Unknown format "${shown}"` };
  }
  return { pointer: "", reason: cutText(message, 400) };
}

function toReferenceProblem(missing: string, schema: JsonObject): Problem {
  const pointer = findKeyword(
    schema,
    (key, value) =>
      (key === "$ref" || key === "$dynamicRef") &&
      typeof value === "string" &&
      value !== "" && missing.endsWith(value),
  ) ?? "";
  const shown = `"${cutText(missing, MAX_SHOWN_CHARS)}"`;
  const reason = SCHEME_REGEXP.test(missing)
    ? `The reference to ${shown} leads outside this schema and is never fetched; copy what it names under "$defs"`
    : `The reference to ${shown} leads to nothing in this schema`;
  return { pointer, reason };
}

function findPattern(schema: JsonObject, pattern: string): string {
  return findKeyword(
    schema,
    (key, value, parent) =>
      (key === "pattern" && value === pattern) ||
      (parent === "patternProperties" && key === pattern),
  ) ?? "";
}

function describeError({ keyword, params, message }: ValidatorError): string {
  const text = message ?? `Does not meet "${keyword}"`;
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  if (keyword === "additionalProperties") {
    return `${sentence}: ${show(params["additionalProperty"])}`;
  }
  if (keyword === "unevaluatedProperties") {
    return `${sentence}: ${show(params["unevaluatedProperty"])}`;
  }
  if (keyword === "enum") {
    return `${sentence}: ${show(params["allowedValues"])}`;
  }
  if (keyword === "const") {
    return `${sentence}: ${show(params["allowedValue"])}`;
  }
  return sentence;
}

function show(value: unknown): string {
  return cutText(JSON.stringify(value) ?? "", MAX_SHOWN_CHARS);
}
