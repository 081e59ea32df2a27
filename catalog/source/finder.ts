/**
 * Which file or URL is the catalog: the configured one, else what lies in the
 * current folder, else the built-in example.
 *
 * @module
 */

import { resolve } from "node:path";

import { locateSource, type Location, type Unreadable } from "./location.ts";

/** Files looked for when nothing is configured, in this order. */
export const DEFAULT_FILES: readonly string[] = ["air.json", "roots.json"];

/**
 * Finds the catalog. A file that exists is taken even when it cannot be read:
 * the example must never stand in for a broken catalog.
 */
export async function findSource(
  source: string | undefined,
  cwd: string,
): Promise<Location | Unreadable> {
  if (source !== undefined) return locateSource(source, cwd);
  for (const name of DEFAULT_FILES) {
    const path = resolve(cwd, name);
    if (await exists(path)) return { kind: "file", path };
  }
  return { kind: "example" };
}

/** Whether no file appeared where none was, told at once. */
export function isStillMissing(cwd: string): boolean {
  return DEFAULT_FILES.every((name) => {
    try {
      Deno.statSync(resolve(cwd, name));
      return false;
    } catch (error) {
      return isMissing(error);
    }
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch (error) {
    return !isMissing(error);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory;
}
