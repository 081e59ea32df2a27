/**
 * Compiles declared schemas and checks data against them. The only file that
 * knows the compiler.
 *
 * @module
 */
import { Ajv } from "ajv";
import {
  Ajv2020,
  type ErrorObject,
  type ValidateFunction,
} from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { RE2JS } from "re2js";
import type { DataCheck, Problem } from "./types.ts";

/** A compiled schema, or why it cannot be used. */
export type DeclaredSchema =
  | { readonly ok: true; check(data: unknown): DataCheck }
  | {
    readonly ok: false;
    readonly kind: "unusable";
    readonly problems: readonly Problem[];
  };

/** Compiles a schema; never throws. */
export function compileSchema(
  schema: Readonly<Record<string, unknown>>,
): DeclaredSchema {
  let validate: ValidateFunction;
  try {
    const regExp = Object.assign((pattern: string) => {
      const compiled = RE2JS.compile(pattern);
      return { test: (text: string) => compiled.matcher(text).find() };
    }, { code: "" });
    const options = { allErrors: true, strict: false, code: { regExp } };
    const isDraft7 = String(schema.$schema ?? "").includes("draft-07");
    const ajv = isDraft7
      ? new Ajv(options as never)
      : new Ajv2020(options as never);
    (addFormats as unknown as (ajv: unknown) => void)(ajv);
    validate = ajv.compile(schema);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, kind: "unusable", problems: [{ pointer: "", reason }] };
  }
  return {
    ok: true,
    check(data) {
      if (validate(data)) return { ok: true };
      const problems = (validate.errors ?? []).map((error: ErrorObject) => ({
        pointer: error.instancePath,
        reason: error.message ?? "is not valid",
      }));
      return {
        ok: false,
        problems,
        total: problems.length,
        totalIsFloor: false,
      };
    },
  };
}
