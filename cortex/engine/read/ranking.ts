/**
 * What rankers of a recall are asked, and what they find.
 *
 * @module
 */

import type { EventId } from "../../client/wire.ts";
import type {
  FitReasons,
  FoundPassage,
  RepairedWord,
} from "../../client/recall_across.ts";
import type { Scope } from "../../layout/layouts.ts";
import { type Filter, matches } from "./filter.ts";
import type { ScopesToRead } from "./find_scopes.ts";
import { metaAt, type OwnEvent } from "../item/rebuild.ts";

/** Scopes that are read, and what an item in them must match. */
export interface View extends ScopesToRead {
  /** What it must match. */
  readonly filter: Filter;
}

/** A scope, and the filters of the views that read it. */
export interface Place {
  /** The scope. */
  readonly scope: Scope;
  /** An item passes one of them. */
  readonly filters: readonly Filter[];
}

/** What to find. */
export interface RankRequest {
  /** What to look for, in words, each in its own way. */
  readonly phrasings: readonly string[];
  /** Where, and what must match. */
  readonly views: readonly View[];
  /** The most events that one request asks for. */
  readonly maxEvents: number;
  /** How many items are wanted. */
  readonly wanted: number;
}

/** An item that was found, as far as a recall says. */
export interface Candidate {
  /** Where it lies. */
  readonly place: Place;
  /** The label of its events. */
  readonly label: string;
  /** How well it fits, from 0 to 1. */
  readonly score: number;
  /** Why, where the other side says so. */
  readonly reasons?: FitReasons;
  /** The best of its events, where one is known, and what fits best there. */
  readonly passage: (FoundPassage & { readonly eventId: EventId }) | undefined;
}

/** What was found. */
export interface Rankings {
  /** For each phrasing its candidates, best first. */
  readonly byPhrasing: readonly (readonly Candidate[])[];
  /** Whether there may be more events that match. */
  readonly isFull: boolean;
  /** Words that stand nowhere, and what was looked for instead. */
  readonly repaired: readonly RepairedWord[];
  /** Events that are not indexed yet, and may be missing. */
  readonly unindexed: number;
}

/** Every scope of the views once, by its path. */
export function placesOf(views: readonly View[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { scopes, filter } of views) {
    for (const scope of scopes) {
      const filters = [...places.get(scope.path)?.filters ?? [], filter];
      places.set(scope.path, { scope, filters });
    }
  }
  return places;
}

/** Whether the item of an event passes a filter of its place. */
export function isAdmitted(
  { scope, filters }: Place,
  { envelope }: Pick<OwnEvent, "envelope">,
): boolean {
  const meta = metaAt(scope, envelope);
  return filters.some((filter) => matches(filter, meta));
}

/** Tells candidates apart. */
export function keyOf({ place, label }: Candidate): string {
  return `${place.scope.path} ${label}`;
}
