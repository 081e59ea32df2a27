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

/** How old a folder's change is when nothing of the same instant can follow. */
const SETTLED_MS = 1_000;

/** A folder that held none of the files looked for. */
export class EmptyFolder {
  readonly #path: string;
  /** When it had changed last as it was looked through, in milliseconds. */
  #settledAt: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether none appeared, told at once. */
  isStillEmpty(): boolean {
    // A file that is missing costs an error each; a folder that has not changed
    // tells the same of all.
    const changedAt = this.#changedAt();
    if (changedAt !== undefined && changedAt === this.#settledAt) return true;
    const isSettled = changedAt !== undefined &&
      Date.now() - changedAt > SETTLED_MS && !this.#has(Deno.lstatSync);
    this.#settledAt = isSettled ? changedAt : undefined;
    // A link may get a file without a change of the folder it lies in.
    return isSettled || !this.#has(Deno.statSync);
  }

  #has(look: (path: string) => unknown): boolean {
    return DEFAULT_FILES.some((name) => {
      try {
        look(resolve(this.#path, name));
        return true;
      } catch (error) {
        return !isMissing(error);
      }
    });
  }

  #changedAt(): number | undefined {
    try {
      return Deno.statSync(this.#path).mtime?.getTime();
    } catch {
      return undefined;
    }
  }
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
