/**
 * Keywords of a schema compiler that announce their work before they do it.
 *
 * Every keyword of a compiler is wrapped, so no schema, however its references
 * multiply, runs past the meter. `uniqueItems` is replaced: comparing all pairs
 * takes quadratic time.
 *
 * @module
 */

import { _, type Ajv, type ErrorObject, type KeywordCxt } from "ajv";
import names from "ajv/dist/compile/names.js";

import { isJsonObject } from "../parse/json.ts";
import type { WorkMeter } from "./meter.ts";

/** Most errors that are collected. */
export const MAX_ERRORS = 1_000;

/** Writing the code of a keyword takes as long as this many of its steps. */
const UNITS_OF_GENERATING = 100;

/** Thrown out of a validator that found more errors than are collected. */
export class TooManyErrors extends Error {
  override readonly name = "TooManyErrors";
  /** The errors found so far. */
  readonly errors: readonly ErrorObject[];

  /** Takes the errors found so far. */
  constructor(errors: readonly ErrorObject[]) {
    super(`Cannot list more than ${MAX_ERRORS} errors`);
    this.errors = errors;
  }
}

type Compiler = Pick<Ajv, "RULES" | "removeKeyword" | "addKeyword" | "opts">;

/** Wraps all keywords of a compiler. Call once, before anything is compiled. */
export function addMeteredKeywords(compiler: Compiler, meter: WorkMeter): void {
  addUniqueItems(compiler, meter);
  const spend = (units: number) => meter.spend(units);
  const stop = (errors: ErrorObject[]) => {
    throw new TooManyErrors(errors);
  };
  for (const rule of Object.values(compiler.RULES.all)) {
    if (typeof rule !== "object" || !("code" in rule.definition)) continue;
    const { definition } = rule;
    const { code } = definition;
    definition.code = (context: KeywordCxt, type?: string) => {
      meter.spend(UNITS_OF_GENERATING);
      const { gen } = context;
      const spendName = gen.scopeValue("func", { ref: spend });
      gen.code(_`${spendName}(${weigh(context)})`);
      code(context, type);
      if (!compiler.opts.allErrors) return;
      const stopName = gen.scopeValue("func", { ref: stop });
      gen.if(
        _`${names.default.errors} > ${MAX_ERRORS}`,
        () => gen.code(_`${stopName}(${names.default.vErrors})`),
      );
    };
  }
}

/** Units of work one evaluation of a keyword may take, data left aside. */
function weigh({ keyword, schema, parentSchema }: KeywordCxt): number {
  const own: unknown = schema;
  if (keyword === "enum" || keyword === "const") {
    return 1 + Math.ceil((JSON.stringify(own) ?? "").length / 16);
  }
  const size = typeof own === "object" && own !== null
    ? Object.keys(own).length
    : 0;
  const properties: unknown = parentSchema["properties"];
  const looksAtAll = keyword === "additionalProperties" ||
    keyword === "unevaluatedProperties";
  return 1 + size +
    (looksAtAll && isJsonObject(properties)
      ? Object.keys(properties).length
      : 0);
}

function addUniqueItems(compiler: Compiler, meter: WorkMeter): void {
  compiler.removeKeyword("uniqueItems");
  compiler.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    errors: true,
    compile(isWanted: boolean) {
      const validate: {
        (items: readonly unknown[]): boolean;
        errors?: Partial<ErrorObject>[];
      } = (items) => {
        const pair = isWanted ? findDuplicate(items, meter) : undefined;
        if (pair === undefined) return true;
        const message = "must NOT have duplicate items " +
          `(items ${pair[0]} and ${pair[1]} are identical)`;
        validate.errors = [{ keyword: "uniqueItems", message, params: {} }];
        return false;
      };
      return validate;
    },
  });
}

function findDuplicate(
  items: readonly unknown[],
  meter: WorkMeter,
): readonly [number, number] | undefined {
  const seen = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = toCanonicalText(item);
    meter.spend(1 + text.length / 16);
    const earlier = seen.get(text);
    if (earlier !== undefined) return [earlier, index];
    seen.set(text, index);
  }
  return undefined;
}

/** JSON with the members of objects in one order, so equal values are equal. */
function toCanonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (!isJsonObject(member)) return member;
    const entries = Object.entries(member);
    return Object.fromEntries(entries.sort(([a], [b]) => a < b ? -1 : 1));
  });
}
