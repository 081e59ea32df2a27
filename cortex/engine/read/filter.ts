/**
 * Filters: which items a read or a removal concerns.
 *
 * A request is narrowed by the labels of one field; what comes back is always
 * held against the whole filter.
 *
 * Specification: docs/spec/cortex_engine.md section 2.3.
 *
 * @module
 */

import type { ScopeQuery } from "../../layout/discovery.ts";
import type { Reach } from "../../layout/reach.ts";
import type { Kind, SourceKind } from "../../words.ts";
import type { ItemMeta } from "../item/item.ts";
import { invalidRequest } from "../item/item_check.ts";
import { isTime } from "../item/faults.ts";
import { lookupLabel } from "../item/lookup.ts";

/** Every field that is set must match; an empty list does not constrain. */
export interface Filter {
  /** Which nodes; left out: everything below the root, sandboxes left out. */
  readonly reach?: Reach | undefined;
  /** Which kinds. */
  readonly kinds?: readonly Kind[] | undefined;
  /** The workspace. */
  readonly workspace?: string | undefined;
  /** The folder, or a folder above it. */
  readonly folder?: string | undefined;
  /** The file, or a folder above it. */
  readonly filePath?: string | undefined;
  /** The language. */
  readonly language?: string | undefined;
  /** The repository. */
  readonly repo?: string | undefined;
  /** The commit. */
  readonly commit?: string | undefined;
  /** The URL. */
  readonly url?: string | undefined;
  /** The thread. */
  readonly threadId?: string | undefined;
  /** The agent, by any of its names. */
  readonly agentId?: string | readonly string[] | undefined;
  /** The name of the tool. */
  readonly toolCall?: string | undefined;
  /** The id of the source. */
  readonly sourceId?: string | undefined;
  /** The kinds of source; any of them. */
  readonly sources?: readonly SourceKind[] | undefined;
  /** Tags; any of them. */
  readonly tagsAny?: readonly string[] | undefined;
  /** Observed then or later, RFC 3339. */
  readonly observedAfter?: string | undefined;
  /** Observed earlier than then, RFC 3339. */
  readonly observedBefore?: string | undefined;
}

/**
 * Refuses a filter that makes no sense.
 *
 * @throws {CortexRefusalError} `invalid_request`
 */
export function checkFilter(filter: Filter): void {
  for (const name of ["observedAfter", "observedBefore"] as const) {
    const time = filter[name];
    if (time === undefined || isTime(time)) continue;
    throw invalidRequest(`${name} must be a time like 2026-09-01T09:00:00Z`);
  }
}

/** Whether nothing is set; a reach alone is something. */
export function isEmptyFilter(filter: Filter): boolean {
  return Object.values(filter).every((value) =>
    value === undefined || (Array.isArray(value) && value.length === 0)
  );
}

/** The scopes that a filter concerns; an empty list of kinds is every kind. */
export function toScopeQuery({ reach, kinds = [] }: Filter): ScopeQuery {
  return kinds.length === 0 ? { reach } : { reach, kinds };
}

/** The labels of one field to narrow a request by; none when none is set. */
export function narrowingLabels(filter: Filter): readonly string[] {
  const fields = [
    ["thread", filter.threadId],
    ["sourceId", filter.sourceId],
    ["repo", filter.repo],
    ["workspace", filter.workspace],
    ["agent", filter.agentId],
    ["language", filter.language],
  ] as const;
  for (const [field, value] of fields) {
    if (value === undefined) continue;
    return [value].flat().map((one) => lookupLabel(field, one));
  }
  return (filter.sources ?? []).map((kind) => lookupLabel("sourceKind", kind));
}

/** Whether those labels alone decide: whatever carries one passes. */
export function isByLabel(filter: Filter): boolean {
  const { reach: _reach, kinds: _kinds, ...fields } = filter;
  const set = Object.values(fields).filter((value) =>
    value !== undefined && !(Array.isArray(value) && value.length === 0)
  );
  return set.length === 0 ||
    (set.length === 1 && narrowingLabels(filter).length > 0);
}

/** Whether an item's meta passes all but reach and kinds. */
export function matches(filter: Filter, meta: ItemMeta): boolean {
  return isSame(filter.workspace, meta.workspace) &&
    isUnder(filter.folder, meta.folder) &&
    isUnder(filter.filePath, meta.filePath) &&
    isSame(filter.language, meta.language) &&
    isSame(filter.repo, meta.repo) &&
    isSame(filter.commit, meta.commit) &&
    isSame(filter.url, meta.url) &&
    isSame(filter.threadId, meta.threadId) &&
    isOneOf(filter.agentId, meta.agentId) &&
    isSame(filter.toolCall, meta.toolCall?.name) &&
    isSame(filter.sourceId, meta.source?.id) &&
    isAny(filter.sources, [meta.source?.kind ?? "agent"]) &&
    isAny(filter.tagsAny, meta.tags ?? []) &&
    isInWindow(filter, meta.observedAt);
}

function isSame(wanted: string | undefined, value: string | undefined) {
  return wanted === undefined || wanted === value;
}

/** Whether it is one of the names; no names are those of nobody. */
export function isOneOf(
  wanted: string | readonly string[] | undefined,
  value: string | undefined,
): boolean {
  if (wanted === undefined) return true;
  return value !== undefined && [wanted].flat().includes(value);
}

function isUnder(wanted: string | undefined, value: string | undefined) {
  if (wanted === undefined || wanted === value) return true;
  const folder = wanted.endsWith("/") ? wanted.slice(0, -1) : wanted;
  return value === folder || value?.startsWith(`${folder}/`) === true;
}

function isAny(
  wanted: readonly string[] | undefined,
  values: readonly string[],
): boolean {
  if (wanted === undefined || wanted.length === 0) return true;
  return values.some((one) => wanted.includes(one));
}

function isInWindow(
  { observedAfter, observedBefore }: Filter,
  time: string | undefined,
): boolean {
  if (observedAfter === undefined && observedBefore === undefined) return true;
  const at = Date.parse(time ?? "");
  if (Number.isNaN(at)) return false;
  return !(observedAfter !== undefined && at < Date.parse(observedAfter)) &&
    !(observedBefore !== undefined && at >= Date.parse(observedBefore));
}
