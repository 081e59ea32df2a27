/**
 * What has to be said of a kind of item: everything that differs between kinds
 * and nothing that does not. A kind is one file in `kinds/`, and a line in the
 * table of `item.ts`.
 *
 * @module
 */

import type { Modality } from "../../client/wire.ts";
import type { Role } from "../../words.ts";
import type { Item, ItemMeta } from "./item.ts";
import type { Json } from "./json.ts";

/** One kind of item. */
export interface ItemKind<I extends Item> {
  /** What CortexDB takes its events for. */
  readonly modality: Modality;
  /** More parts than an item of it has; what claims more is not ours. */
  readonly maxParts: number;
  /** How a reader sees an item. */
  textOf(item: I): string;
  /**
   * What a reader sees in front of a part's text, given its place among those
   * there are: all parts' texts behind theirs are what `textOf` gives.
   */
  leadOf(part: ReadPart, place: number): string;
  /**
   * An item's content for its id: lists with null for what is not set, so that
   * neither the order in which a caller names fields nor an undefined one
   * changes the digest.
   */
  formOf(item: I): readonly unknown[];
  /** Why an item cannot be stored, apart from its meta. */
  faultOf(item: I): string | undefined;
  /** An item's parts, an event each, in order. */
  partsOf(item: I): readonly ItemPart[];
  /** The item that some parts make, in order; perhaps not all of them. */
  rebuild(parts: ReadParts, meta: ItemMeta): I;
}

/** What one event holds of an item. */
export interface ItemPart {
  /** Its text. */
  readonly text: string;
  /**
   * Who speaks.
   *
   * @default {"user"}
   */
  readonly role?: Role;
  /** What is known of it, by the names that `rebuild` knows. */
  readonly facts: Json;
  /** When it was so; when the item was, when left out. */
  readonly observedAt?: string | undefined;
  /**
   * Whether anything may be derived from it, where the item admits that.
   *
   * @default {true}
   */
  readonly derive?: boolean;
}

/** A part as it was read: its facts are whatever the event says. */
export interface ReadPart {
  /** Its facts, and what every event says of its item. */
  readonly envelope: Json;
  /** Its text, or the beginning of it. */
  readonly text: string;
  /** Characters of the whole text. */
  readonly characters: number;
}

/** Parts as they were read; at least one. */
export type ReadParts = readonly [ReadPart, ...ReadPart[]];
