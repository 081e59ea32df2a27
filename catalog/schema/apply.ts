/**
 * A schema that somebody else than a catalog wrote, applied once: the form that
 * an agent asks people to fill in.
 *
 * @module
 */
import type { DataCheck, Problem } from "../types.ts";

/** What a schema says of a value, or why the schema cannot be used. */
export type SchemaVerdict =
  | DataCheck
  | {
    /** Tells it from a result. */
    readonly kind: "unusable";
    /** Always false. */
    readonly ok: false;
    /** What is wrong with the schema, with pointers into it. */
    readonly problems: readonly Problem[];
  };

/**
 * Checks a value against a schema, in bounded time whatever both are. The
 * compiler is loaded by the first call.
 */
export async function checkAgainst(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
): Promise<SchemaVerdict> {
  const { compileSchema } = await import("./collections.ts");
  const compiled = compileSchema(schema);
  return compiled.ok ? compiled.check(value) : compiled;
}
