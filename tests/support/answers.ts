/**
 * Holds answers of tools to the output schemas that they announce.
 *
 * @module
 */
import { ok } from "node:assert/strict";
import addFormats from "ajv-formats";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { TOOLS } from "../../mcp/tools/registry.ts";

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const validators = new Map<string, ValidateFunction>();

/** The same schema, which now refuses what it does not describe. */
export function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, closed(item)]),
  );
  return typeof copy.properties === "object" && "required" in copy
    ? { ...copy, additionalProperties: false }
    : copy;
}

/** Fails where an answer is not exactly what its tool announces. */
export function assertAnnounced(name: string, answer: unknown): void {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool?.output === undefined) return;
  const known = validators.get(name) ??
    ajv.compile(closed(tool.output) as Record<string, unknown>);
  validators.set(name, known);
  ok(
    known(answer),
    `${name} answers otherwise than it announces: ${
      ajv.errorsText(known.errors)
    } in ${JSON.stringify(answer).slice(0, 2_000)}`,
  );
}
