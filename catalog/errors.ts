/**
 * Errors of the catalog. Both are for people: the first says that nothing could
 * be read, the second that a declaration, not the data, is at fault.
 *
 * @module
 */

import { cutText, formatProblems } from "./parse/problems.ts";
import type { Problem } from "./types.ts";

/**
 * There is no catalog to look into, not even an old one. Must never be shown as
 * "the root is not in the catalog".
 */
export class CatalogUnavailableError extends Error {
  /** Where the catalog was to be read, without credentials. */
  readonly source: string;
  /** When reading began to fail. */
  readonly since: Date;
  /** Why it cannot be read. */
  readonly reason: string;

  /** Takes the place, the reason and the time reading began to fail. */
  constructor(
    source: string,
    options: { reason: string; since: Date; cause?: unknown },
  ) {
    const { reason, since, cause } = options;
    super(
      `Cannot read the catalog "${source}": ${reason}`,
      cause === undefined ? undefined : { cause },
    );
    this.name = "CatalogUnavailableError";
    this.source = source;
    this.since = since;
    this.reason = reason;
  }
}

const MAX_NAME_CHARS = 80;

/** Why a declaration cannot be used. */
export type DeclarationErrorCode =
  /** The root does not declare the collection. */
  | "undeclared"
  /** The declared schema cannot be compiled or applied. */
  | "unusable";

/** The declaration of a collection is at fault, not the data written to it. */
export class DeclarationError extends Error {
  /** Which fault it is. */
  readonly code: DeclarationErrorCode;
  /** Root that should declare the collection. */
  readonly root: string;
  /** Name of the collection. */
  readonly collection: string;
  /** What is wrong, with pointers into the declared schema. */
  readonly problems: readonly Problem[];

  /**
   * Takes the fault, the root, the collection, the problems found, and what else
   * is to be said of the catalog.
   */
  constructor(
    code: DeclarationErrorCode,
    options: {
      root: string;
      collection: string;
      problems: readonly Problem[];
      note?: string;
    },
  ) {
    const { problems, note = "" } = options;
    const root = cutText(options.root, MAX_NAME_CHARS);
    const collection = cutText(options.collection, MAX_NAME_CHARS);
    super(
      code === "undeclared"
        ? `Cannot check data: collection "${collection}" is not declared by root "${root}"${note}`
        : `Cannot use the schema declared for collection "${collection}" of root "${root}", ` +
          `so nothing can be written to it until the catalog is corrected: ${
            formatProblems(problems)
          }${note}`,
    );
    this.name = "DeclarationError";
    this.code = code;
    this.root = options.root;
    this.collection = options.collection;
    this.problems = problems;
  }
}
