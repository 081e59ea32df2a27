/**
 * Whether an item can be stored, decided before anything is sent.
 *
 * @module
 */

import { CortexRefusalError, quote } from "../../errors.ts";
import type { Item, ItemMeta, ToolCall, Turn } from "./item.ts";
import {
  LEARNING_KINDS,
  MAX_BATCH,
  MAX_META_CHARACTERS,
  MAX_TAGS,
  MAX_TURNS,
  ROLES,
  SOURCE_KINDS,
} from "../../words.ts";

const TIME_REGEXP =
  /^\d{4}-\d{2}-(\d{2})T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** A request that is not worth sending. */
export function invalidRequest(message: string): CortexRefusalError {
  return new CortexRefusalError(message, { reason: "invalid_request" });
}

/**
 * Refuses a batch with anything in it that cannot be stored.
 *
 * @throws {CortexRefusalError} `invalid_request`, with the place
 */
export function checkItems(items: readonly Item[]): void {
  if (items.length === 0 || items.length > MAX_BATCH) {
    throw invalidRequest(
      `A batch has 1 to ${MAX_BATCH} items, this one has ${items.length}`,
    );
  }
  for (const [index, item] of items.entries()) {
    const fault = contentFault(item) ?? metaFault(item.meta);
    if (fault === undefined) continue;
    const place = items.length === 1 ? "" : `Item ${index}: `;
    throw invalidRequest(`${place}${fault}`);
  }
}

/** Whether a text is a time as RFC 3339 writes it, of a day that exists. */
export function isTime(text: string): boolean {
  const day = Number(TIME_REGEXP.exec(text)?.[1] ?? NaN);
  const time = new Date(text.toUpperCase());
  const year = time.getUTCFullYear(); // NaN for a time that is none.
  // Not every reader refuses the 30th of February, or knows other years.
  if (Number.isNaN(day) || !(year >= 1 && year <= 9999)) return false;
  return new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === day;
}

function contentFault(item: Item): string | undefined {
  switch (item.kind) {
    case "document":
      return textFault("body", item.body) ?? fieldFault("title", item.title) ??
        fieldFault("mime", item.mime);
    case "conversation":
      return turnsFault(item.turns);
    case "learning":
      return textFault("text", item.text) ??
        wordFault("learning kind", item.learningKind, LEARNING_KINDS) ??
        confidenceFault(item.confidence) ??
        (item.evidence === undefined
          ? undefined
          : textFault("evidence", item.evidence));
  }
}

function turnsFault(turns: readonly Turn[]): string | undefined {
  if (turns.length === 0 || turns.length > MAX_TURNS) {
    return `a conversation has 1 to ${MAX_TURNS} turns, this one has ${turns.length}`;
  }
  for (const [index, { role, text, at, toolCalls = [] }] of turns.entries()) {
    const fault = wordFault("role", role, ROLES) ?? textFault("text", text) ??
      timeFault("at", at) ?? firstFault(toolCalls, toolCallFault);
    if (fault !== undefined) return `turn ${index}: ${fault}`;
  }
  return undefined;
}

function metaFault(meta: ItemMeta): string | undefined {
  const { turns, toolCall, source, tags = [] } = meta;
  if (tags.length > MAX_TAGS) {
    return `an item has at most ${MAX_TAGS} tags, this one has ${tags.length}`;
  }
  if (
    turns !== undefined &&
    !(Number.isSafeInteger(turns.first) && Number.isSafeInteger(turns.last) &&
      turns.first >= 0 && turns.last >= turns.first)
  ) {
    return "turns must be whole numbers from 0 on, the first not after the last";
  }
  return fieldFault("workspace", meta.workspace) ??
    fieldFault("folder", meta.folder) ??
    fieldFault("file path", meta.filePath) ??
    fieldFault("language", meta.language) ??
    fieldFault("repo", meta.repo) ??
    fieldFault("commit", meta.commit) ??
    fieldFault("url", meta.url) ??
    fieldFault("thread id", meta.threadId) ??
    fieldFault("agent id", meta.agentId) ??
    (toolCall === undefined ? undefined : toolCallFault(toolCall)) ??
    (source === undefined
      ? undefined
      : wordFault("source kind", source.kind, SOURCE_KINDS) ??
        fieldFault("source id", source.id)) ??
    firstFault(tags, (tag) => fieldFault("tag", tag)) ??
    timeFault("observed at", meta.observedAt);
}

function toolCallFault({ name, id }: ToolCall): string | undefined {
  return fieldFault("tool name", name) ?? fieldFault("tool call id", id);
}

function firstFault<T>(
  all: readonly T[],
  faultOf: (one: T) => string | undefined,
): string | undefined {
  for (const one of all) {
    const fault = faultOf(one);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function fieldFault(
  what: string,
  text: string | undefined,
): string | undefined {
  if (text === undefined) return undefined;
  if (text.length > MAX_META_CHARACTERS) {
    return `${what} has at most ${MAX_META_CHARACTERS} characters, this one has ${text.length}`;
  }
  return textFault(what, text);
}

function textFault(what: string, text: string): string | undefined {
  if (text.trim() === "") return `${what} is blank`;
  // PostgreSQL cannot keep the one, and UTF-8 cannot write the other.
  if (text.includes("\0")) return `${what} holds a NUL character`;
  return text.isWellFormed() ? undefined : `${what} holds half a character`;
}

function timeFault(what: string, text: string | undefined): string | undefined {
  if (text === undefined || isTime(text)) return undefined;
  return `${what} must be a time like 2026-09-01T09:00:00Z, not ${quote(text)}`;
}

function wordFault(
  what: string,
  word: string,
  words: readonly string[],
): string | undefined {
  if (words.includes(word)) return undefined;
  return `${what} must be one of ${words.join(", ")}, not ${quote(word)}`;
}

function confidenceFault(value: number): string | undefined {
  if (value >= 0 && value <= 1) return undefined;
  return `confidence must be from 0 to 1, not ${value}`;
}
