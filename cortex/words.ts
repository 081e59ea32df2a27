/**
 * The words and limits of memory, and its errors: what can be said of items
 * without the engine. Loads nothing but the error classes, so that whoever has
 * to start fast takes them from here.
 *
 * A new kind of item begins here: the compiler then names every place that has
 * something to say about it.
 *
 * @module
 */

export {
  type ConfigProblem,
  CortexConfigError,
  CortexProtocolError,
  CortexRefusalError,
  CortexUnavailableError,
  type ProtocolFault,
  quote,
  type RefusalFacts,
  type RefusalReason,
  ScopeSyntaxError,
  type UnavailableFacts,
} from "./errors.ts";

/** Every kind of item, in the order used everywhere. */
export const KINDS = ["document", "conversation", "learning"] as const;

/** What kind of item something is, and what a scope holds. */
export type Kind = typeof KINDS[number];

/**
 * The last segment of a scope that ends in one. Part of stored paths: none of
 * them ever changes.
 */
export const LEAVES: Readonly<Record<Kind, string>> = {
  document: "app:documents",
  conversation: "app:conversations",
  learning: "app:learnings",
};

/** Where an item came from. */
export const SOURCE_KINDS = [
  "folder",
  "file",
  "link",
  "github",
  "rss",
  "composio",
  "conversation",
  "agent",
  "import",
] as const;

/** One of `SOURCE_KINDS`. */
export type SourceKind = typeof SOURCE_KINDS[number];

/** What a learning is. */
export const LEARNING_KINDS = [
  "preference",
  "fact",
  "procedure",
  "correction",
  "other",
] as const;

/** One of `LEARNING_KINDS`. */
export type LearningKind = typeof LEARNING_KINDS[number];

/** Who speaks in a turn. */
export const ROLES = ["user", "assistant", "system", "tool"] as const;

/** One of `ROLES`. */
export type Role = typeof ROLES[number];

/** `direct`: CortexDB's own API. `hosted`: a backend puts the tenant in front. */
export const WIRES = ["direct", "hosted"] as const;

/** One of `WIRES`. */
export type Wire = typeof WIRES[number];

/** Whose memory an item is, in canonical spelling. */
export type Node = string & { readonly __brand: "Node" };

/** An item's content digest: 40 hex digits. */
export type ItemId = string & { readonly __brand: "ItemId" };

const ITEM_ID_REGEXP = /^[0-9a-f]{40}$/;

/** Whether a text has the shape of an item's id. */
export function isItemId(text: string): text is ItemId {
  return ITEM_ID_REGEXP.test(text);
}

/** The node above all others. */
export const ROOT_NODE = "root" as Node;

/** Where a person's agents share their conversations. */
export const DEFAULT_CHAT_NODE = "ws:main" as Node;

/** The most items of one batch. */
export const MAX_BATCH = 100;

/** The most ids of one request. */
export const MAX_IDS = 200;

/** The most turns of one conversation. */
export const MAX_TURNS = 1_000;

/** The most tags of an item. */
export const MAX_TAGS = 32;

/** The most items that one item replaces. */
export const MAX_REPLACED = 20;

/** The most characters of a meta field. */
export const MAX_META_CHARACTERS = 1_024;

/**
 * The most characters of a text that a tool takes at once. The engine itself
 * cuts a document into pieces, however long it is.
 */
export const MAX_TEXT_CHARACTERS = 1_000_000;

/** The most characters of a query. */
export const MAX_QUERY_CHARACTERS = 4_000;

/** The most phrasings of a query beside it. */
export const MAX_ALSO_PHRASINGS = 4;
