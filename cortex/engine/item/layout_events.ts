/**
 * From an item to the events that hold it, in their order.
 *
 * How many there are, and what each holds, its kind says.
 *
 * @module
 */

import { draftKey, type EventDraft } from "../../client/wire.ts";
import type { ScopePath } from "../../layout/scope.ts";
import { type Envelope, pack } from "./envelope.ts";
import { type Item, type ItemId, itemId, kindOf } from "./item.ts";
import { invalidRequest } from "./item_check.ts";
import { lookupLabels } from "./lookup.ts";

/** The largest event, as JSON in UTF-8: CortexDB refuses texts over 1 MiB. */
const MAX_EVENT_BYTES = 768 * 1024;

/** An item laid out. */
export interface LaidOut {
  /** Its id. */
  readonly id: ItemId;
  /** Its events, in order. */
  readonly drafts: readonly EventDraft[];
}

/**
 * Lays an item out.
 *
 * @throws {CortexRefusalError} `invalid_request` when an event is too large
 */
export async function layOut(item: Item, scope: ScopePath): Promise<LaidOut> {
  const id = itemId(item);
  const { kind, meta } = item;
  const { modality, partsOf } = kindOf(item);
  const lookup = lookupLabels(id, item);
  const parts = partsOf(item);
  const drafts = parts.map((part, index) => {
    const envelope: Envelope = {
      ...part.facts,
      id,
      kind,
      meta,
      part: { index, count: parts.length },
    };
    const { role = "user", derive = true } = part;
    const draft = {
      scope,
      modality,
      role,
      ...pack(envelope, part.text, lookup),
      observedAt: part.observedAt ?? meta.observedAt,
      derive: derive && meta.derive !== false,
    };
    checkSize(draft, index);
    return draft;
  });
  return {
    id,
    drafts: await Promise.all(drafts.map(async (draft) => ({
      ...draft,
      idempotencyKey: await draftKey(draft),
    }))),
  };
}

function checkSize(draft: Omit<EventDraft, "idempotencyKey">, index: number) {
  const bytes = new TextEncoder().encode(JSON.stringify(draft)).length;
  if (bytes <= MAX_EVENT_BYTES) return;
  throw invalidRequest(
    `Event ${index} of the item would have ${bytes} bytes, the most is ${MAX_EVENT_BYTES}; store it in smaller parts`,
  );
}
