/**
 * Declared schemas, compiled and applied. The only file that knows the compiler.
 *
 * Whatever a catalog declares, compiling and checking end in bounded time: every
 * generated keyword announces its work to a meter, patterns match in linear
 * time, nothing is inlined, and nothing is ever fetched. Each schema has a
 * compiler of its own, so one declaration can neither see nor disturb another.
 *
 * @module
 */

import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

import { boundedFormats } from "./formats.ts";
import type { JsonObject } from "../parse/json.ts";
import { addMeteredKeywords, TooManyErrors } from "./metered_keywords.ts";
import { WorkLimitError, WorkMeter } from "./meter.ts";
import { compilePattern } from "./patterns.ts";
import { cutProblem, MAX_PROBLEMS } from "../parse/problems.ts";
import { inspectSchema, type SchemaFacts } from "./schema_facts.ts";
import { toProblems, toSchemaProblem } from "./schema_problems.ts";
import type { DataCheck, Problem } from "../types.ts";

/**
 * Most time for compiling one schema. The last guard: what is too large by its
 * text was refused before, whatever else the machine has to do.
 */
export const COMPILE_LIMIT_MS = 2_000;
/** Most time for one pass over one record. */
export const CHECK_LIMIT_MS = 500;

const SLOW_MS = 50;

/** A schema that cannot be used. */
export interface UnusableSchema {
  /** Tells it from a result. */
  readonly kind: "unusable";
  /** Always false. */
  readonly ok: false;
  /** What is wrong, with pointers into the schema. */
  readonly problems: readonly Problem[];
}

/** A compiled schema. */
export interface UsableSchema {
  /** Always true. */
  readonly ok: true;
  /** Checks one record. */
  check(data: unknown): DataCheck | UnusableSchema;
}

/** A declared schema: ready, or the reasons why it is not. */
export type DeclaredSchema = UsableSchema | UnusableSchema;

const meter = new WorkMeter();
const formats = boundedFormats();

/** Compiles a declared schema; never throws. */
export function compileSchema(schema: JsonObject): DeclaredSchema {
  try {
    const facts = inspectSchema(schema);
    if (!facts.ok) return unusable(facts.problems);
    meter.restart(COMPILE_LIMIT_MS);
    // The dialect is chosen; the compiler would look it up by its address.
    const { $schema: _dialect, ...bare } = schema;
    const invalid = checkAgainstDialect(bare, facts);
    if (invalid !== undefined) return invalid;
    // Code that stops at the first error nests a level for each keyword, and
    // the engine takes quadratic time over that.
    const validate = compile(bare, facts, { allErrors: facts.isLarge });
    return new CompiledSchema(bare, facts, validate).probed();
  } catch (error) {
    return unusable([describeFault(error, schema)]);
  }
}

class CompiledSchema implements UsableSchema {
  readonly ok = true;
  readonly #schema: JsonObject;
  readonly #facts: SchemaFacts;
  readonly #validate: ValidateFunction;
  #validateAll: ValidateFunction | undefined;

  constructor(
    schema: JsonObject,
    facts: SchemaFacts,
    validate: ValidateFunction,
  ) {
    this.#schema = schema;
    this.#facts = facts;
    this.#validate = validate;
  }

  /** Finds references that lead in a circle before any data is refused. */
  probed(): DeclaredSchema {
    meter.restart(CHECK_LIMIT_MS);
    try {
      this.#validate({});
      return this;
    } catch (error) {
      if (error instanceof WorkLimitError) return unusable([limitProblem()]);
      if (error instanceof TooManyErrors) return this;
      if (!(error instanceof RangeError)) throw error;
      const reason = "Its references lead back to themselves without end";
      return unusable([{ pointer: "", reason }]);
    }
  }

  check(data: unknown): DataCheck | UnusableSchema {
    const startedAt = performance.now();
    meter.restart(CHECK_LIMIT_MS);
    try {
      if (this.#validate(data)) return { ok: true };
    } catch (error) {
      if (error instanceof WorkLimitError) return unusable([limitProblem()]);
      if (error instanceof TooManyErrors) return tooMany(error);
      if (!(error instanceof RangeError)) throw error;
      const reason = "It nests too deeply to be checked";
      return mismatch([{ pointer: "", reason }], false);
    }
    const first = toProblems(this.#validate.errors ?? []);
    if (this.#facts.isLarge) return mismatch(first, false);
    // A slow check is not run a second time only to list more problems.
    if (performance.now() - startedAt > SLOW_MS) return mismatch(first, true);
    return this.#listAll(data) ?? mismatch(first, true);
  }

  /** Every problem; undefined when finding them all takes too much. */
  #listAll(data: unknown): DataCheck | undefined {
    try {
      meter.restart(COMPILE_LIMIT_MS);
      this.#validateAll ??= compile(this.#schema, this.#facts, {
        allErrors: true,
      });
      meter.restart(CHECK_LIMIT_MS);
      if (this.#validateAll(data)) return undefined;
      return mismatch(toProblems(this.#validateAll.errors ?? []), false);
    } catch (error) {
      return error instanceof TooManyErrors ? tooMany(error) : undefined;
    }
  }
}

function compile(
  schema: JsonObject,
  { dialect, extraKeywords, needsDialectSchema }: SchemaFacts,
  { allErrors }: { allErrors: boolean },
): ValidateFunction {
  const compiler = create(dialect, { meta: needsDialectSchema, allErrors });
  for (const keyword of extraKeywords) {
    if (compiler.getKeyword(keyword) === false) compiler.addKeyword(keyword);
  }
  return compiler.compile(schema);
}

const dialects = new Map<SchemaFacts["dialect"], Ajv | Ajv2020>();

/** Checks a schema against the schema of its dialect; holds no user's schema. */
function checkAgainstDialect(
  schema: JsonObject,
  { dialect }: SchemaFacts,
): UnusableSchema | undefined {
  const checker = dialects.get(dialect) ??
    create(dialect, { meta: true, allErrors: true });
  dialects.set(dialect, checker);
  if (checker.validateSchema(schema) === true) return undefined;
  return unusable(toProblems(checker.errors ?? []).slice(0, MAX_PROBLEMS));
}

function create(
  dialect: SchemaFacts["dialect"],
  { meta, allErrors }: { meta: boolean; allErrors: boolean },
): Ajv | Ajv2020 {
  const options: Options = {
    meta,
    allErrors,
    formats,
    strictSchema: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowMatchingProperties: true,
    validateSchema: false,
    // A large definition referred to often would be written out each time.
    inlineRefs: false,
    // "required": ["constructor"] is not met by what every object inherits.
    ownProperties: true,
    logger: false,
    code: { regExp: Object.assign(toMatcher, { code: "toMatcher" }) },
  };
  const compiler = dialect === "draft-07"
    ? new Ajv(options)
    : new Ajv2020(options);
  addMeteredKeywords(compiler, meter);
  return compiler;
}

function toMatcher(pattern: string): ReturnType<typeof compilePattern> {
  return compilePattern(pattern, meter);
}

function mismatch(
  problems: readonly Problem[],
  totalIsFloor: boolean,
): DataCheck {
  return {
    ok: false,
    problems: problems.slice(0, MAX_PROBLEMS).map(cutProblem),
    total: problems.length,
    totalIsFloor,
  };
}

function tooMany({ errors }: TooManyErrors): DataCheck {
  return mismatch(toProblems(errors), true);
}

function unusable(problems: readonly Problem[]): UnusableSchema {
  return { kind: "unusable", ok: false, problems: problems.map(cutProblem) };
}

function limitProblem(): Problem {
  const reason = `Checking takes more than ${CHECK_LIMIT_MS} ms; ` +
    "make the schema simpler, with fewer references inside each other";
  return { pointer: "", reason };
}

function describeFault(error: unknown, schema: JsonObject): Problem {
  if (!(error instanceof WorkLimitError)) return toSchemaProblem(error, schema);
  const reason = `Compiling takes more than ${COMPILE_LIMIT_MS} ms`;
  return { pointer: "", reason };
}
