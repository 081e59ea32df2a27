/**
 * Where a document of the catalog is: a file, an http(s) URL, or built in.
 *
 * The printable form of a location never holds a credential; only that form
 * goes into messages, reports and logs.
 *
 * @module
 */

import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { describeValue } from "../parse/json.ts";
import { cutText } from "../parse/problems.ts";

/** A place a document can be read from. */
export type Location =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "http"; readonly url: URL }
  | { readonly kind: "example" };

/** A reference that leads nowhere we read from. */
export interface Unreadable {
  /** Tells it from a location. */
  readonly kind: "unreadable";
  /** Why, for people. */
  readonly reason: string;
}

/** A configured source that names the built-in catalog, whatever lies near. */
export const BUILT_IN_SOURCE = "built-in";

// Two letters at least, so that a drive letter is a path.
const SCHEME_REGEXP = /^([a-z][a-z0-9+.-]+):/i;

/** What a catalog source stands for; relative paths start from a folder. */
export function locateSource(
  source: string,
  cwd: string,
): Location | Unreadable {
  if (source === BUILT_IN_SOURCE) return { kind: "example" };
  return locate(source, { kind: "file", path: resolve(cwd, "air.json") });
}

/** What a reference inside a document stands for, seen from that document. */
export function locate(
  reference: string,
  from: Location,
): Location | Unreadable {
  if (reference.trim() === "" || reference.includes("\0")) {
    return unreadable("expected a path or URL, got an empty one");
  }
  const scheme = SCHEME_REGEXP.exec(reference)?.[1]?.toLowerCase();
  if (scheme === undefined) return locateRelative(reference, from);
  if (scheme === "http" || scheme === "https") return locateUrl(reference);
  if (scheme !== "file") {
    return unreadable(
      `"${scheme}:" is not read; use a path, a file: URL or an http(s) URL`,
    );
  }
  if (from.kind === "http") {
    return unreadable("a remote catalog cannot name files of this machine");
  }
  try {
    return { kind: "file", path: fileURLToPath(reference) };
  } catch {
    return unreadable("the file: URL names no file of this machine");
  }
}

/** A location for people: credentials and query values are left out. */
export function describeLocation(location: Location): string {
  if (location.kind === "example") return "built-in example";
  if (location.kind === "file") return location.path;
  const { url } = location;
  return `${url.protocol}//${url.host}${url.pathname}${url.search && "?…"}`;
}

/** A configured source for people, readable or not; no credentials. */
export function describeSource(source: string): string {
  return cutText(redact(source), 200);
}

/** A location as the one string that tells it from others; may hold secrets. */
export function locationKey(location: Location): string {
  if (location.kind === "example") return "example:";
  return location.kind === "file" ? `file:${location.path}` : location.url.href;
}

/** A key in a form that tells nothing of the address. */
export async function hashKey(key: string): Promise<string> {
  const bytes = new TextEncoder().encode(key);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return new Uint8Array(digest).toHex();
}

/** The last part of the path of a location. */
export function locationName(location: Location): string {
  if (location.kind === "example") return "roots.json";
  const path = location.kind === "file" ? location.path : location.url.pathname;
  return path.split(/[\\/]/).at(-1) ?? "";
}

function locateRelative(
  reference: string,
  from: Location,
): Location | Unreadable {
  if (from.kind === "http") {
    const url = URL.parse(reference, from.url);
    if (url === null) return unreadable("the path cannot be resolved");
    if (url.origin === from.url.origin) {
      url.username = from.url.username;
      url.password = from.url.password;
    }
    return { kind: "http", url };
  }
  if (from.kind === "example") return unreadable("the example has no files");
  return { kind: "file", path: resolve(dirname(from.path), reference) };
}

function locateUrl(reference: string): Location | Unreadable {
  const url = URL.parse(reference);
  if (url !== null) return { kind: "http", url };
  return unreadable(`${describeValue(redact(reference))} is not a URL`);
}

/** Drops what may be a credential from text that is not even a URL. */
function redact(reference: string): string {
  return reference.replace(/\/\/[^/]*@/, "//").replace(/\?.*$/s, "?…");
}

function unreadable(reason: string): Unreadable {
  return { kind: "unreadable", reason };
}
