/**
 * Scope paths as the wire has them: up to 32 segments `type:id` of types that
 * the deployment admits. Wider than the paths a layout writes.
 *
 * @module
 */
import { quote } from "../errors.ts";
import { invalid } from "./wire_error.ts";

/** Types of segments that every shipped policy admits. */
const SCOPE_TYPES: readonly string[] = [
  "org",
  "dept",
  "team",
  "app",
  "user",
  "agent",
  "service",
  "ws",
  "project",
  "global",
  "system",
  "source",
];

/** Longest path: what an index entry holds beside the path's first segment. */
export const MAX_PATH_CHARACTERS = 2_000;
const MAX_SEGMENTS = 32;
const SEGMENT_REGEXP = /^([a-z][a-z0-9_]{0,31}):[A-Za-z0-9_-]{1,128}$/;

/** Checks a path that names a scope. @throws {WireError} 422. */
export function assertScopePath(path: string): string {
  for (const segment of segmentsOf(path)) {
    const type = typeOf(segment, path);
    if (SCOPE_TYPES.includes(type)) continue;
    throw invalid(
      `Scope type ${quote(type)} is not admitted here; types: ${
        SCOPE_TYPES.join(" ")
      }`,
      "UNREGISTERED_SCOPE_TYPE",
    );
  }
  return path;
}

/** Checks a path to list below: any type may be asked for. */
export function assertScopePrefix(path: string): string {
  for (const segment of segmentsOf(path)) typeOf(segment, path);
  return path;
}

function segmentsOf(path: string): readonly string[] {
  const segments = path.length > MAX_PATH_CHARACTERS ? [] : path.split("/");
  if (segments.length > 0 && segments.length <= MAX_SEGMENTS) return segments;
  throw invalid(
    `A scope path has at most ${MAX_SEGMENTS} segments and ${MAX_PATH_CHARACTERS} characters`,
    "INVALID_SCOPE",
  );
}

function typeOf(segment: string, path: string): string {
  const type = SEGMENT_REGEXP.exec(segment)?.[1];
  if (type !== undefined) return type;
  throw invalid(
    `Cannot read scope ${quote(path)}: segment ${
      quote(segment)
    } must read type:id, an id of A-Z a-z 0-9 _ -`,
    "INVALID_SCOPE",
  );
}

/** The path and everything above it, the outermost first. */
export function lineOf(path: string): readonly string[] {
  const line = [];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    line.push(path.slice(0, at));
  }
  return [...line, path];
}
