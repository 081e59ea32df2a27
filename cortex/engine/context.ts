/**
 * What every operation of an engine works with.
 *
 * @module
 */

import type { Clock, CortexClient } from "../client/client_types.ts";
import type { Layout } from "../layout/layouts.ts";
import type { Node } from "../words.ts";
import type { Actor, ScopePath } from "../layout/scope.ts";

/** Something an operator may want to know; no operation fails because of it. */
export type EngineEvent =
  | {
    /** The root could not be registered to its owner; tried at the next write. */
    readonly kind: "ownership_failed";
    /** Which step failed. */
    readonly step: "register" | "read" | "replace";
    /** Why. */
    readonly error: unknown;
  }
  | {
    /** The root is registered to its owner. */
    readonly kind: "ownership_held";
    /** Whether it had been before. */
    readonly wasHeld: boolean;
  }
  | {
    /** A listing of scopes may lack some; the read went on. */
    readonly kind: "listing_cut";
    /** How many paths came. */
    readonly listed: number;
  };

/** What an engine is built from. */
export interface EngineOptions {
  /** The way to CortexDB. */
  readonly client: CortexClient;
  /** Where items lie. */
  readonly layout: Layout;
  /** Whom to register the root to, if anyone. */
  readonly owner?: Actor | undefined;
  /** The node of a person's conversations; `ws:main` when left out. */
  readonly chatNode?: Node | undefined;
  /** Whether what is stored is listed and found at once: nothing is waited for. */
  readonly isVisibleAtOnce?: boolean | undefined;
  /** Whether a listing takes the scopes below along, as our service's does. */
  readonly listsBelow?: boolean | undefined;
  /** Hears of what went wrong without failing anything. */
  readonly report?: ((event: EngineEvent) => void) | undefined;
  /** Replaces the system's time. */
  readonly clock?: Clock | undefined;
}

/** The same with everything filled in, and the client confined to the roots. */
export interface EngineContext {
  /** Sends nothing that lies outside the layout's roots. */
  readonly client: CortexClient;
  /** Where items lie. */
  readonly layout: Layout;
  /** Whether there is nothing to wait for after a write. */
  readonly isVisibleAtOnce: boolean;
  /** Whether a listing takes the scopes below along where it is told to. */
  readonly listsBelow: boolean;
  /** Hears of what went wrong. */
  readonly report: (event: EngineEvent) => void;
  /** Time. */
  readonly clock: Clock;
}

/** What any operation takes besides its request. */
export interface OperationOptions {
  /** Ends the operation; its reason is what it rejects with. */
  readonly signal?: AbortSignal | undefined;
}

/** What was looked at to find an answer. */
export interface ReadReport {
  /** The scopes that were read. */
  readonly scopes: readonly ScopePath[];
  /** Whether there may be scopes that were not listed, and so not read. */
  readonly isCut: boolean;
  /**
   * Sandboxes below that the reach does not enter, in the order of nodes; none
   * where no node below is read.
   */
  readonly sandboxes?: readonly Node[] | undefined;
}

/** How many scopes are asked at once. */
const PARALLEL = 8;

/** Runs `work` for each, a few at a time; answers in the order given. */
export async function forEachScope<S, T>(
  all: readonly S[],
  work: (one: S) => Promise<T>,
): Promise<T[]> {
  const answers: T[] = [];
  for (let start = 0; start < all.length; start += PARALLEL) {
    const batch = all.slice(start, start + PARALLEL);
    answers.push(...await Promise.all(batch.map(work)));
  }
  return answers;
}
