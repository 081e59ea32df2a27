/**
 * Items: what memory holds, and what makes one the same as another.
 *
 * Specification: docs/spec/cortex_engine.md section 2.2.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Node } from "../../layout/node.ts";
import type { Role } from "../../client/wire.ts";

/** An item's content digest: 40 hex digits. */
export type ItemId = string & { readonly __brand: "ItemId" };

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
  /** When it was so, RFC 3339. No part of the item's id. */
  readonly observedAt?: string | undefined;
  /**
   * Whether anything may be derived from it.
   *
   * @default {true}
   */
  readonly derive?: boolean | undefined;
}

/** One turn of a conversation. */
export interface Turn {
  /** Who speaks. */
  readonly role: Role;
  /** What was said. */
  readonly text: string;
  /** When, RFC 3339. */
  readonly at?: string | undefined;
  /** Tools called in it. */
  readonly toolCalls?: readonly ToolCall[] | undefined;
}

/** A text that is kept as it is. */
export interface DocumentItem {
  /** Always `document`. */
  readonly kind: "document";
  /** Its heading. */
  readonly title?: string | undefined;
  /** Its text. */
  readonly body: string;
  /** Its media type. */
  readonly mime?: string | undefined;
  /** What is known beside it. */
  readonly meta: ItemMeta;
}

/** Turns in their order. */
export interface ConversationItem {
  /** Always `conversation`. */
  readonly kind: "conversation";
  /** The turns; at least one. */
  readonly turns: readonly Turn[];
  /** What is known beside it. */
  readonly meta: ItemMeta;
}

/** A statement worth remembering. */
export interface LearningItem {
  /** Always `learning`. */
  readonly kind: "learning";
  /** The statement. */
  readonly text: string;
  /** What it is. */
  readonly learningKind: LearningKind;
  /** How sure it is, 0 to 1. */
  readonly confidence: number;
  /** What it rests on. */
  readonly evidence?: string | undefined;
  /** What is known beside it. */
  readonly meta: ItemMeta;
}

/** Anything memory holds. */
export type Item = DocumentItem | ConversationItem | LearningItem;

const ID_REGEXP = /^[0-9a-f]{40}$/;

/** Whether a text has the shape of an item's id. */
export function isItemId(text: string): text is ItemId {
  return ID_REGEXP.test(text);
}

/**
 * The item's id: the first 20 bytes of the SHA-256 of its content and meta.
 * When it was observed is left out, so that reading the same thing again does
 * not make another item.
 */
export function itemId(item: Item): ItemId {
  const form = JSON.stringify([item.kind, contentForm(item), metaForm(item)]);
  return createHash("sha256").update(form).digest("hex")
    .slice(0, 40) as ItemId; // 40 hex digits, as the brand says.
}

/** How a reader sees the item. */
export function itemText(item: Item): string {
  switch (item.kind) {
    case "document":
      return headingOf(item.title) + item.body;
    case "conversation":
      return item.turns.map(({ role, text }) => `${role}: ${text}`).join("\n");
    case "learning":
      return item.text;
  }
}

/** What stands above a document that has a title. */
export function headingOf(title: string | undefined): string {
  return title === undefined ? "" : `# ${title}\n\n`;
}

// Lists with null for what is not set: neither the order in which a caller
// names fields nor an undefined one changes the digest.
function contentForm(item: Item): readonly unknown[] {
  switch (item.kind) {
    case "document":
      return [item.title ?? null, item.body, item.mime ?? null];
    case "conversation":
      return item.turns.map(({ role, text, at, toolCalls = [] }) => [
        role,
        text,
        at ?? null,
        toolCalls.map(toolCallForm),
      ]);
    case "learning":
      return [
        item.text,
        item.learningKind,
        item.confidence,
        item.evidence ?? null,
      ];
  }
}

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
