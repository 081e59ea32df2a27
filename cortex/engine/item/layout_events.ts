/**
 * From an item to the events that hold it, in their order.
 *
 * How many there are, and what each holds, its kind says.
 *
 * @module
 */

import { type EventDraft, eventKey } from "../../client/wire.ts";
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
export function layOut(item: Item, scope: ScopePath): LaidOut {
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
    const draft: EventDraft = {
      scope,
      modality,
      role,
      ...pack(envelope, part.text, lookup),
      observedAt: part.observedAt ?? meta.observedAt,
      derive: derive && meta.derive !== false,
      // When it was observed is no part of it: of ten agents that store the
      // same at once, one writes it.
      idempotencyKey: eventKey(scope, id, index, parts.length),
    };
    checkSize(draft, index);
    return draft;
  });
  return { id, drafts };
}

function checkSize(draft: EventDraft, index: number) {
  const bytes = new TextEncoder().encode(JSON.stringify(draft)).length;
  if (bytes <= MAX_EVENT_BYTES) return;
  throw invalidRequest(
    `Event ${index} of the item would have ${bytes} bytes, the most is ${MAX_EVENT_BYTES}; store it in smaller parts`,
  );
}
