/**
 * Items: what memory holds, and what makes one the same as another.
 *
 * Specification: docs/spec/cortex_engine.md section 2.2.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { ItemId, Kind, Node, SourceKind } from "../../words.ts";

export { isItemId, type ItemId } from "../../words.ts";
import type { ItemKind } from "./item_kind.ts";
import { CONVERSATION, type ConversationItem } from "./kinds/conversation.ts";
import { DOCUMENT, type DocumentItem } from "./kinds/document.ts";
import { LEARNING, type LearningItem } from "./kinds/learning.ts";

/** The call of a tool. */
export interface ToolCall {
  /** The tool. */
  readonly name: string;
  /** Which call of it. */
  readonly id?: string | undefined;
}

/** What is known of an item beside its content. */
export interface ItemMeta {
  /** Whose memory it is. */
  readonly node: Node;
  /** The workspace it is about. */
  readonly workspace?: string | undefined;
  /** The folder it is about. */
  readonly folder?: string | undefined;
  /** The file it is about. */
  readonly filePath?: string | undefined;
  /** The language of a program or a text. */
  readonly language?: string | undefined;
  /** The repository it is about. */
  readonly repo?: string | undefined;
  /** The commit it is about. */
  readonly commit?: string | undefined;
  /** Where it can be read. */
  readonly url?: string | undefined;
  /** The thread it belongs to. */
  readonly threadId?: string | undefined;
  /** Which turns of the thread it covers, both ends included. */
  readonly turns?:
    | { readonly first: number; readonly last: number }
    | undefined;
  /** Which agent said or wrote it. */
  readonly agentId?: string | undefined;
  /** The tool call it came from. */
  readonly toolCall?: ToolCall | undefined;
  /** Where it came from; an agent when left out. */
  readonly source?:
    | { readonly kind: SourceKind; readonly id?: string | undefined }
    | undefined;
  /** Free words. */
  readonly tags?: readonly string[] | undefined;
  /** Items that are no longer so because of it. No part of its id. */
  readonly replaces?: readonly ItemId[] | undefined;
  /** When it was so, RFC 3339. No part of the item's id. */
  readonly observedAt?: string | undefined;
  /**
   * Whether anything may be derived from it.
   *
   * @default {true}
   */
  readonly derive?: boolean | undefined;
}

/** Anything memory holds. */
export type Item = DocumentItem | ConversationItem | LearningItem;

/** What is said of each kind. */
export const ITEM_KINDS: {
  readonly [K in Kind]: ItemKind<Extract<Item, { readonly kind: K }>>;
} = {
  document: DOCUMENT,
  conversation: CONVERSATION,
  learning: LEARNING,
};

/** What is said of an item's kind: to be asked of that item and no other. */
export function kindOf({ kind }: Item): ItemKind<Item> {
  return ITEM_KINDS[kind];
}

/**
 * The item's id: the first 20 bytes of the SHA-256 of its content and meta.
 * When it was observed is left out, so that reading the same thing again does
 * not make another item.
 */
export function itemId(item: Item): ItemId {
  const content = kindOf(item).formOf(item);
  const form = JSON.stringify([item.kind, content, metaForm(item)]);
  return createHash("sha256").update(form).digest("hex")
    .slice(0, 40) as ItemId; // 40 hex digits, as the brand says.
}

// Neither the order in which a caller names fields nor an undefined one counts.
function metaForm({ meta }: Item): readonly unknown[] {
  const { turns, toolCall, source } = meta;
  return [
    meta.node,
    meta.workspace ?? null,
    meta.folder ?? null,
    meta.filePath ?? null,
    meta.language ?? null,
    meta.repo ?? null,
    meta.commit ?? null,
    meta.url ?? null,
    meta.threadId ?? null,
    turns === undefined ? null : [turns.first, turns.last],
    meta.agentId ?? null,
    toolCall === undefined ? null : toolCallForm(toolCall),
    [source?.kind ?? "agent", source?.id ?? null],
    meta.tags ?? [],
    meta.derive ?? true,
  ];
}

function toolCallForm({ name, id }: ToolCall): readonly unknown[] {
  return [name, id ?? null];
}
