/**
 * `catalog check`: reads a catalog as the server would, without any old copy,
 * and says what its owner should know. Never throws for what it reads.
 *
 * @module
 */

import type { Ignored } from "./types.ts";

/** What {@linkcode checkCatalog} needs. */
export interface CheckOptions {
  /** Path or URL; absent: found as the server finds it. */
  readonly source?: string;
  /** Folder relative paths start from. @default {Deno.cwd()} */
  readonly cwd?: string;
  /** More aliases of roots. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Replaces `fetch`. */
  readonly fetch?: typeof fetch;
}

/** One thing the owner of the catalog should know. */
export interface Finding {
  /** An error means something declared does not work. */
  readonly level: "error" | "warning" | "note";
  /** Root it is about; absent: the whole catalog. */
  readonly root?: string;
  /** What it is, for people. */
  readonly message: string;
}

/** One line of the table of roots. */
export interface CheckedRoot {
  /** Name of the root. */
  readonly name: string;
  /** What its namespace resolves to, aliases applied. */
  readonly namespace: string;
  /** Whether that may be used. */
  readonly namespaceIsValid: boolean;
  /** Names of its collections. */
  readonly collections: readonly string[];
  /** Collections whose schema cannot be used. */
  readonly unusable: readonly string[];
}

/** What a check found. */
export interface CheckReport {
  /** No finding is an error and the catalog could be read. */
  readonly ok: boolean;
  /** Where it was read, without credentials. */
  readonly source: string;
  /** Whether it is the built-in example. */
  readonly isExample: boolean;
  /** Why nothing could be read. */
  readonly failure?: string;
  /** Its roots, in catalog order. */
  readonly roots: readonly CheckedRoot[];
  /** How many entries there are of each other kind. */
  readonly artifacts: Readonly<Record<string, number>>;
  /** What was left out. */
  readonly ignored: readonly Ignored[];
  /** How many things were left out in all. */
  readonly ignoredTotal: number;
  /** What the owner should know, errors first. */
  readonly findings: readonly Finding[];
}

/** Text to print and the exit code to leave with. */
export interface RenderedCheck {
  /** 0: nothing is an error; 1: something is. */
  readonly code: 0 | 1;
  /** Lines without line ends. */
  readonly lines: readonly string[];
}

/**
 * Reads the catalog once and reports. Takes the same `source` as the loader;
 * the verb passes its one positional argument (a path or URL), else the value
 * of `CATALOG`, else nothing.
 */
export function checkCatalog(
  _options: CheckOptions = {},
): Promise<CheckReport> {
  return Promise.reject(new Error("Cannot check a catalog yet"));
}
