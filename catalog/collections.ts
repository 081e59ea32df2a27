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
import type { AgentRoot, DataCheck, Problem } from "./types.ts";
import { DeclarationError } from "./errors.ts";

export class SchemaChecker {
  readonly #compiled = new WeakMap<object, ValidateFunction>();
  check(root: AgentRoot, collection: string, data: unknown): DataCheck {
    const declaration = root.collections.get(collection);
    if (declaration === undefined) {
      throw new DeclarationError("undeclared", {
        root: root.name,
        collection,
        problems: [],
      });
    }
    const { schema } = declaration;
    if (schema === undefined) return { ok: true };
    let validate = this.#compiled.get(schema);
    if (validate === undefined) {
      try {
        const options = {
          allErrors: true,
          strict: false,
          code: {
            regExp: Object.assign((p: string) => {
              const r = RE2JS.compile(p);
              return { test: (s: string) => r.matcher(s).find() };
            }, { code: "re2" }),
          },
        };
        const ajv = String(schema.$schema ?? "").includes("draft-07")
          ? new Ajv(options as never)
          : new Ajv2020(options as never);
        (addFormats as unknown as (a: unknown) => void)(ajv);
        validate = ajv.compile(schema);
      } catch (error) {
        throw new DeclarationError("unusable", {
          root: root.name,
          collection,
          problems: [{ pointer: "", reason: String(error) }],
        });
      }
      this.#compiled.set(schema, validate);
    }
    if (validate(data)) return { ok: true };
    const problems = (validate.errors ?? []).map((e: ErrorObject): Problem => ({
      pointer: e.instancePath,
      reason: e.message ?? "is not valid",
    }));
    return { ok: false, problems, total: problems.length, totalIsFloor: false };
  }
}
