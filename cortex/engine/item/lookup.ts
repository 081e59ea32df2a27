/**
 * Lookup labels: what lets a listing be narrowed by one field.
 *
 * A label holds 16 hex digits of the value's SHA-256, so that any value fits
 * and none is shown. What comes back is always checked against the value.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Item, ItemId, ItemMeta } from "./item.ts";

/** The field that a label looks up. */
type Field = keyof typeof PREFIXES;

const PREFIXES = {
  item: "tm:i:",
  thread: "tm:t:",
  sourceId: "tm:s:",
  repo: "tm:r:",
  workspace: "tm:w:",
  agent: "tm:a:",
  language: "tm:l:",
  sourceKind: "tm:k:",
} as const;

const ITEM_REGEXP = /^tm:i:[0-9a-f]{16}$/;

/** The label that events with the value carry. */
export function lookupLabel(field: Field, value: string): string {
  const digest = createHash("sha256").update(value).digest("hex");
  return PREFIXES[field] + digest.slice(0, 16);
}

/** The label that every event of an item carries. */
export function itemLabel(id: ItemId): string {
  return lookupLabel("item", id);
}

/** The item label among an event's labels, whoever wrote it. */
export function findItemLabel(labels: readonly string[]): string | undefined {
  return labels.find((label) => ITEM_REGEXP.test(label));
}

/** All lookup labels of an item's events. */
export function lookupLabels(id: ItemId, { meta }: Item): readonly string[] {
  return [itemLabel(id), ...metaLabels(meta)];
}

function metaLabels(meta: ItemMeta): readonly string[] {
  const fields: readonly (readonly [Field, string | undefined])[] = [
    ["thread", meta.threadId],
    ["sourceId", meta.source?.id],
    ["repo", meta.repo],
    ["workspace", meta.workspace],
    ["agent", meta.agentId],
    ["language", meta.language],
    ["sourceKind", meta.source?.kind ?? "agent"],
  ];
  return fields.flatMap(([field, value]) =>
    value === undefined ? [] : [lookupLabel(field, value)]
  );
}
