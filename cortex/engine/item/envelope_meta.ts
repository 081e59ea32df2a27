/**
 * An item's meta as its envelope carries it.
 *
 * @module
 */

import { isItemId, type ItemMeta } from "./item.ts";
import { SOURCE_KINDS } from "../../words.ts";
import { isTime } from "./faults.ts";
import { type Json, record, text, texts, whole } from "./json.ts";

/** The meta of an event; the node is where the event lies. */
export type KnownMeta = Omit<ItemMeta, "node"> & { readonly node: string };

/** The meta as JSON. */
export function writeMeta(meta: KnownMeta): Json {
  const { filePath, threadId, agentId, toolCall, observedAt, ...rest } = meta;
  return {
    ...rest,
    turns: meta.turns && [meta.turns.first, meta.turns.last],
    file_path: filePath,
    thread_id: threadId,
    agent_id: agentId,
    tool_call: toolCall,
    observed_at: observedAt,
  };
}

/** Reads what `writeMeta` wrote, whoever wrote it; undefined for no object. */
export function readMeta(value: unknown): KnownMeta | undefined {
  const json = record(value);
  if (json === undefined) return undefined;
  const toolName = text(record(json.tool_call)?.name);
  return {
    node: text(json.node) ?? "",
    workspace: text(json.workspace),
    folder: text(json.folder),
    filePath: text(json.file_path),
    language: text(json.language),
    repo: text(json.repo),
    commit: text(json.commit),
    url: text(json.url),
    threadId: text(json.thread_id),
    turns: readTurns(json.turns),
    agentId: text(json.agent_id),
    toolCall: toolName === undefined
      ? undefined
      : { name: toolName, id: text(record(json.tool_call)?.id) },
    source: readSource(json.source),
    tags: texts(json.tags),
    replaces: readIds(json.replaces),
    observedAt: readTime(json.observed_at),
    derive: json.derive === false ? false : undefined,
  };
}

function readIds(value: unknown): ItemMeta["replaces"] {
  const ids = (texts(value) ?? []).filter(isItemId);
  return ids.length === 0 ? undefined : ids;
}

/** A time, as written; undefined for what is none. */
export function readTime(value: unknown): string | undefined {
  const time = text(value);
  return time !== undefined && isTime(time) ? time : undefined;
}

function readTurns(value: unknown): ItemMeta["turns"] {
  if (!Array.isArray(value)) return undefined;
  const first = whole(value[0]);
  const last = whole(value[1]);
  return first === undefined || last === undefined
    ? undefined
    : { first, last };
}

function readSource(value: unknown): ItemMeta["source"] {
  const json = record(value);
  const kind = SOURCE_KINDS.find((one) => one === json?.kind);
  return kind === undefined ? undefined : { kind, id: text(json?.id) };
}
