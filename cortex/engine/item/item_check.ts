/**
 * Whether an item can be stored, decided before anything is sent.
 *
 * @module
 */

import { CortexRefusalError, quote } from "../../errors.ts";
import {
  MAX_BATCH,
  MAX_REPLACED,
  MAX_TAGS,
  SOURCE_KINDS,
} from "../../words.ts";
import {
  fieldFault,
  firstFault,
  timeFault,
  toolCallFault,
  wordFault,
} from "./faults.ts";
import { isItemId, type Item, type ItemMeta, kindOf } from "./item.ts";

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
    const fault = kindOf(item).faultOf(item) ?? metaFault(item.meta);
    if (fault === undefined) continue;
    const place = items.length === 1 ? "" : `Item ${index}: `;
    throw invalidRequest(`${place}${fault}`);
  }
}

function metaFault(meta: ItemMeta): string | undefined {
  const { turns, toolCall, source, tags = [], replaces = [] } = meta;
  if (replaces.length > MAX_REPLACED) {
    return `an item replaces at most ${MAX_REPLACED} others, not ${replaces.length}`;
  }
  const stranger = replaces.find((id) => !isItemId(id));
  if (stranger !== undefined) {
    return `${
      quote(stranger)
    } is no item id: ids have 40 hex digits, lower case`;
  }
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
