/**
 * What the loader reports of its work.
 *
 * @module
 */

import type { Ignored, Problem } from "./types.ts";

/** What the loader reports, each state once and not at every refresh. */
export type CatalogEvent =
  /** New content was taken over; what was left out is said here, once. */
  | CatalogLoadedEvent
  /** The source began to fail, or fails in another way. */
  | CatalogFailedEvent
  /** The source answers again. */
  | CatalogRecoveredEvent
  /** The last known good copy could not be written or read. */
  | CatalogCacheEvent
  /** A declared schema cannot be used; once for each declaration and content. */
  | CatalogDeclarationEvent;

/** New content was taken over. */
export interface CatalogLoadedEvent {
  /** Tells the events apart. */
  readonly kind: "loaded";
  /** Where it was read. */
  readonly source: string;
  /** Whether it is the built-in example. */
  readonly isExample: boolean;
  /** Name of the root of whoever names none, where there is one. */
  readonly defaultRoot?: string;
  /** Roots in it. */
  readonly roots: number;
  /** What was left out. */
  readonly ignored: readonly Ignored[];
  /** How many things were left out in all. */
  readonly ignoredTotal: number;
}

/** The source began to fail, or fails in another way. */
export interface CatalogFailedEvent {
  /** Tells the events apart. */
  readonly kind: "failed";
  /** Where it was to be read. */
  readonly source: string;
  /** Why it failed. */
  readonly reason: string;
  /** Whether an older snapshot is served meanwhile. */
  readonly servesStale: boolean;
}

/** The source answers again. */
export interface CatalogRecoveredEvent {
  /** Tells the events apart. */
  readonly kind: "recovered";
  /** Where it was read. */
  readonly source: string;
  /** Seconds since it began to fail. */
  readonly downSeconds: number;
}

/** The last known good copy could not be written or read. */
export interface CatalogCacheEvent {
  /** Tells the events apart. */
  readonly kind: "cache_failed";
  /** Where the catalog is read. */
  readonly source: string;
  /** What could not be done. */
  readonly reason: string;
}

/** A declared schema cannot be used. */
export interface CatalogDeclarationEvent {
  /** Tells the events apart. */
  readonly kind: "declaration_unusable";
  /** Where the catalog is read. */
  readonly source: string;
  /** Root that declares it. */
  readonly root: string;
  /** Collection it is declared for. */
  readonly collection: string;
  /** What is wrong with it. */
  readonly problems: readonly Problem[];
}
