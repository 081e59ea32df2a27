/**
 * What a caller knows after a call.
 *
 * @module
 */

/** Outcome of a call. */
export type Answer =
  /** It took effect. */
  // deno-lint-ignore no-explicit-any -- the soak looks into answers freely
  | { readonly kind: "done"; readonly data: any; readonly text: string }
  /** It did not, and the server says which rule refused. */
  | { readonly kind: "refused"; readonly rule: Rule; readonly text: string }
  /** It may have: the answer did not arrive, or says so. */
  | { readonly kind: "unknown"; readonly text: string }
  /** Nothing that a caller should ever see. */
  | { readonly kind: "surprise"; readonly text: string };

/** Why a call was refused. */
export type Rule =
  | "rate"
  | "records"
  | "collections"
  | "size"
  | "absent"
  | "unavailable"
  | "late"
  | "wrong_state"
  | "conflict";

const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/writes a minute to/, "rate"],
  [/10000 is the most it may/, "records"],
  [/25 is the most it may/, "collections"],
  [/the limit is 32768/, "size"],
  [/has no record with/, "absent"],
  [/has to lie more than 30 seconds ahead/, "late"],
  [/nothing was (read or written|changed)/i, "unavailable"],
];

/** Reads the result of a tool. */
// deno-lint-ignore no-explicit-any explicit-module-boundary-types -- as it came from the wire
export function answerOf(result: any): Answer {
  const text = String(result?.content?.[0]?.text ?? JSON.stringify(result));
  if (result?.isError !== true && result?.structuredContent !== undefined) {
    return { kind: "done", data: result.structuredContent, text };
  }
  if (/may or may not/.test(text)) return { kind: "unknown", text };
  const reason = result?._meta?.["rootcellar/refusal"]?.reason;
  if (reason === "wrong_state" || reason === "conflict") {
    return { kind: "refused", rule: reason, text };
  }
  const rule = RULES.find(([pattern]) => pattern.test(text))?.[1];
  return rule === undefined
    ? { kind: "surprise", text }
    : { kind: "refused", rule, text };
}
