/**
 * Namespaces of roots: what an entry resolves to, and what is wrong with it.
 *
 * A malformed `data_namespace` never falls back to the name: records would be
 * written where nobody looks for them.
 *
 * @module
 */

import { describeValue, isAbsent } from "./json.ts";
import { cutText } from "./problems.ts";
import type { AgentRoot } from "../types.ts";

/** Most characters of a namespace. */
export const MAX_NAMESPACE_CHARS = 200;
/** Namespaces that records may live under. */
export const NAMESPACE_REGEXP = /^[a-z0-9._-]+$/;

const RULE =
  `1 to ${MAX_NAMESPACE_CHARS} lowercase letters, digits, ".", "_" or "-"`;

/** What `data_namespace` of an entry resolves to. */
export interface ResolvedNamespace {
  /** The value, or a printable form of one that cannot be used. */
  readonly namespace: string;
  /** Whether it can be used. */
  readonly namespaceIsValid: boolean;
  /** Whether the entry says it, rather than its name. */
  readonly namespaceIsDeclared: boolean;
}

/** Resolves `data_namespace`: the declared value, else the name of the root. */
export function resolveNamespace(
  declared: unknown,
  name: string,
): ResolvedNamespace {
  const namespaceIsDeclared = !isAbsent(declared);
  const value = namespaceIsDeclared ? declared : name;
  if (typeof value !== "string") {
    return {
      namespace: describeValue(value),
      namespaceIsValid: false,
      namespaceIsDeclared,
    };
  }
  return {
    namespace: cutText(value, MAX_NAMESPACE_CHARS),
    namespaceIsValid: value.length <= MAX_NAMESPACE_CHARS &&
      NAMESPACE_REGEXP.test(value),
    namespaceIsDeclared,
  };
}

/**
 * The namespace of a root that cannot be used, why, and what to do: the end of a
 * sentence. Undefined where it can be used.
 */
export function namespaceProblem(
  root: Pick<AgentRoot, keyof ResolvedNamespace | "entry">,
): string | undefined {
  const { namespace, namespaceIsValid, namespaceIsDeclared, entry } = root;
  if (namespaceIsValid) return undefined;
  const declared = entry["data_namespace"];
  const [shown, why] = namespaceIsDeclared && typeof declared !== "string"
    ? [namespace, `data_namespace is ${nameType(declared)}, not text`]
    : [JSON.stringify(namespace), findFault(namespace)];
  const [from, remedy] = namespaceIsDeclared
    ? ["", "correct"]
    : [" and comes from the root's name", "set"];
  return `${shown}, which is not valid: ${why}${from}; ${remedy} ` +
    `data_namespace: ${RULE}`;
}

function findFault(namespace: string): string {
  if (namespace === "") return "it is empty";
  const wrong = [...namespace].find((one) => !NAMESPACE_REGEXP.test(one));
  // The printable form of one that is too long ends in how much was cut.
  return namespace.length > MAX_NAMESPACE_CHARS
    ? "it is too long"
    : `it holds ${JSON.stringify(wrong)}`;
}

function nameType(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
