/**
 * Marks: events that say of an item that another one replaces it.
 *
 * A mark lies where the item does and carries the item's labels, so that
 * whatever brings up the item brings up its marks. It has no envelope: an engine
 * that knows no marks takes it for somebody else's event.
 *
 * Specification: docs/spec/recall.md section 7.
 *
 * @module
 */

import { type EventDraft, eventKey } from "../../client/wire.ts";
import type { EventId, StoredEvent } from "../../client/wire.ts";
import type { ScopePath } from "../../layout/scope.ts";
import { isItemId, type Item, type ItemId } from "./item.ts";
import { lookupLabels } from "./lookup.ts";

/** An item is replaced. */
export interface Mark {
  /** The event that says so. */
  readonly eventId: EventId;
  /** The scope it lies in. */
  readonly path: ScopePath;
  /** The item. */
  readonly id: ItemId;
  /** What replaces it. */
  readonly by: ItemId;
}

/** Marks by the item that is replaced. */
export type Marks = Map<ItemId, Mark[]>;

const LABEL_REGEXP = /^tm:x:([0-9a-f]{40}):([0-9a-f]{40})$/;

/** The event that marks an item; the same however often it is made. */
export function markDraft(
  scope: ScopePath,
  old: { readonly id: ItemId; readonly item: Item },
  by: ItemId,
): EventDraft {
  const { id, item } = old;
  return {
    scope,
    modality: "observation",
    role: "system",
    text: `${id} is replaced by ${by}`,
    labels: [...lookupLabels(id, item), `tm:x:${id}:${by}`],
    derive: false,
    idempotencyKey: eventKey("replaced", scope, id, by),
  };
}

/** Reads a mark of a scope; undefined for any other event. */
export function readMark(
  path: ScopePath,
  { id: eventId, labels }: Pick<StoredEvent, "id" | "labels">,
): Mark | undefined {
  for (const label of labels) {
    const [, id = "", by = ""] = LABEL_REGEXP.exec(label) ?? [];
    if (isItemId(id) && isItemId(by)) return { eventId, path, id, by };
  }
  return undefined;
}

/** The label that makes a mark of an event; undefined for any other event. */
export function markLabelOf(labels: readonly string[]): string | undefined {
  return labels.find((label) => LABEL_REGEXP.test(label));
}

/** Notes a mark. */
export function addMark(marks: Marks, mark: Mark): void {
  const known = marks.get(mark.id);
  if (known === undefined) marks.set(mark.id, [mark]);
  else if (!known.some(({ eventId }) => eventId === mark.eventId)) {
    known.push(mark);
  }
}
