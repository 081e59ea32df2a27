/**
 * What can be said of a declared schema without compiling it: its dialect, its
 * size, and the things no compiler should be given.
 *
 * @module
 */

import { describeValue, isAbsent, type JsonObject } from "../parse/json.ts";
import { toPointer } from "../parse/ignored.ts";
import { MAX_PATTERN_CHARS, measurePattern } from "./pattern_size.ts";
import type { Problem } from "../types.ts";

/** Most bytes of one schema, as compact JSON. */
export const MAX_SCHEMA_BYTES = 64 * 1024;
/**
 * Most work that all patterns of one schema may be, in instructions. What it
 * takes to begin with one, and a Unicode property, count as so many.
 */
export const MAX_PATTERN_WORK = 30_000;
const WORK_OF_PATTERN = 25;
const WORK_OF_PROPERTY = 50;
/** Most members of all objects in one schema: keywords, and names of fields. */
export const MAX_SCHEMA_MEMBERS = 5_000;
/** Members from which a schema is large; see `SchemaFacts.isLarge`. */
export const LARGE_SCHEMA_MEMBERS = 500;
/** Most levels of one schema. */
export const MAX_SCHEMA_DEPTH = 100;

const TOO_LARGE =
  `It is larger than ${MAX_SCHEMA_BYTES} bytes, the most that is compiled`;
const DIALECT_REGEXP =
  /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12)|(draft-07))\/schema#?$/;
const EXTRA_KEYWORD_REGEXP = /^x-[a-z0-9_$:-]*$/i;

/** Facts about a schema that may be compiled. */
export interface SchemaFacts {
  /** Tells facts from problems. */
  readonly ok: true;
  /** Which JSON Schema it is written in. */
  readonly dialect: "2020-12" | "draft-07";
  /** Remarks of other programs: keywords that start with "x-". */
  readonly extraKeywords: ReadonlySet<string>;
  /** It refers to the schema of a dialect. */
  readonly needsDialectSchema: boolean;
  /** Code that stops at the first error would nest too deeply. */
  readonly isLarge: boolean;
}

/** Looks through a schema; never throws. */
export function inspectSchema(
  schema: JsonObject,
): SchemaFacts | { readonly ok: false; readonly problems: readonly Problem[] } {
  const dialect = readDialect(schema["$schema"]);
  if (dialect === undefined) {
    const shown = describeValue(schema["$schema"]);
    return refuse(
      "/$schema",
      `The dialect ${shown} is not supported; use JSON Schema 2020-12 or draft-07`,
    );
  }
  const extraKeywords = new Set<string>();
  let needsDialectSchema = false;
  let visited = 0;
  let members = 0;
  let patternWork = 0;
  for (const { key, value, path } of walk(schema)) {
    if (path.length > MAX_SCHEMA_DEPTH) {
      return refuse("", `It nests more than ${MAX_SCHEMA_DEPTH} levels deep`);
    }
    // Each member takes a byte at least; a huge one is not walked to its end.
    if (++visited > MAX_SCHEMA_BYTES) return refuse("", TOO_LARGE);
    if (key !== "") members++;
    if (key === "$async" || key === "__proto__") {
      return refuse(toPointer(path), `"${key}" is not supported`);
    }
    patternWork += weighPattern(key, value, path);
    if (EXTRA_KEYWORD_REGEXP.test(key)) extraKeywords.add(key);
    if (
      key === "$ref" && typeof value === "string" &&
      value.includes("//json-schema.org/")
    ) needsDialectSchema = true;
  }
  if (patternWork > MAX_PATTERN_WORK) {
    return refuse(
      "",
      `Its patterns together come to ${patternWork} instructions; at most ${MAX_PATTERN_WORK} are compiled`,
    );
  }
  if (members > MAX_SCHEMA_MEMBERS) {
    return refuse(
      "",
      `It has ${members} keywords and names of fields; at most ${MAX_SCHEMA_MEMBERS} are compiled`,
    );
  }
  // Measured after the depth, which the measuring itself depends on.
  const bytes = measureSchema(schema);
  if (bytes > MAX_SCHEMA_BYTES) {
    return refuse("", `${TOO_LARGE}; it has ${bytes}`);
  }
  const isLarge = members > LARGE_SCHEMA_MEMBERS;
  return { ok: true, dialect, extraKeywords, needsDialectSchema, isLarge };
}

/**
 * Size of a declared schema as compact JSON; infinite for one that nests too
 * deeply to be written. Ask before printing a schema.
 */
export function measureSchema(
  schema: Readonly<Record<string, unknown>>,
): number {
  try {
    return new TextEncoder().encode(JSON.stringify(schema)).length;
  } catch {
    return Infinity;
  }
}

/** Where a keyword with this text stands, as a pointer. */
export function findKeyword(
  schema: JsonObject,
  isWanted: (key: string, value: unknown, parent: string) => boolean,
): string | undefined {
  for (const { key, value, path } of walk(schema)) {
    if (isWanted(key, value, String(path.at(-2) ?? ""))) return toPointer(path);
  }
  return undefined;
}

/** Work of the pattern that a member is or is named by; 0 where there is none. */
function weighPattern(
  key: string,
  value: unknown,
  path: readonly string[],
): number {
  const isName = path.at(-2) === "patternProperties";
  const pattern = isName ? key : key === "pattern" ? value : undefined;
  if (typeof pattern !== "string") return 0;
  // A longer one is refused by itself.
  if (pattern.length > MAX_PATTERN_CHARS) return 0;
  const { instructions, properties } = measurePattern(pattern);
  return WORK_OF_PATTERN + instructions + WORK_OF_PROPERTY * properties;
}

interface Visit {
  readonly key: string;
  readonly value: unknown;
  readonly path: readonly string[];
}

/** Every member below a value, without recursion; stops below the limit. */
function* walk(top: unknown): Generator<Visit> {
  const open: { value: unknown; path: readonly string[] }[] = [
    { value: top, path: [] },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value !== "object" || value === null) continue;
    if (path.length > MAX_SCHEMA_DEPTH) continue;
    for (const [key, member] of Object.entries(value)) {
      const here = [...path, key];
      yield { key: Array.isArray(value) ? "" : key, value: member, path: here };
      open.push({ value: member, path: here });
    }
  }
}

function readDialect(declared: unknown): SchemaFacts["dialect"] | undefined {
  if (isAbsent(declared)) return "2020-12";
  if (typeof declared !== "string") return undefined;
  const found = DIALECT_REGEXP.exec(declared);
  if (found === null) return undefined;
  return found[1] === undefined ? "draft-07" : "2020-12";
}

function refuse(
  pointer: string,
  reason: string,
): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ pointer, reason }] };
}
