/**
 * Paths of requests. Values get in percent-encoded and in no other way, so that
 * no value can name another route or add a parameter.
 *
 * @module
 */

import { CortexRefusalError } from "../errors.ts";

/** A path below the endpoint, with its query. Made by `path` and `withQuery`. */
export type ApiPath = string & { readonly __brand: "ApiPath" };

/**
 * Template tag: the literal parts as they are, the values percent-encoded.
 *
 * @throws {CortexRefusalError} for a value that no path segment can carry
 */
export function path(
  literals: TemplateStringsArray,
  ...values: readonly string[]
): ApiPath {
  const parts = values.map((value, index) =>
    encodeSegment(value) + (literals[index + 1] ?? "")
  );
  return (literals[0] ?? "") + parts.join("") as ApiPath; // Encoded above.
}

/** The path with the parameters that have a value; an empty one is not sent. */
export function withQuery(
  route: ApiPath,
  values: Readonly<Record<string, string | number | undefined>>,
): ApiPath {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  const query = pairs.length === 0 ? "" : `?${pairs.join("&")}`;
  return `${route}${query}` as ApiPath; // Encoded above.
}

/** A URL drops `.` and `..` even when they are percent-encoded. */
function encodeSegment(value: string): string {
  if (value === "" || value === "." || value === "..") {
    throw unsendable("it is empty or made of dots");
  }
  return encode(value);
}

function encode(value: string): string {
  if (!value.isWellFormed()) throw unsendable("it is not well-formed text");
  return encodeURIComponent(value);
}

function unsendable(why: string): CortexRefusalError {
  return new CortexRefusalError(
    `Cannot address CortexDB by this value: ${why}`,
    {
      reason: "invalid_request",
    },
  );
}
