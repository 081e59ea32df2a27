/**
 * From an item to the events that hold it, in their order.
 *
 * A learning is one event, a conversation one a turn, a document one a piece.
 *
 * @module
 */

import { draftKey, type EventDraft } from "../../client/wire.ts";
import type { Role } from "../../words.ts";
import type { ScopePath } from "../../layout/scope.ts";
import { type Envelope, pack } from "./envelope.ts";
import { headingOf, type Item, type ItemId, itemId } from "./item.ts";
import { invalidRequest } from "./item_check.ts";
import { lookupLabels } from "./lookup.ts";
import { cutPieces } from "./pieces.ts";

/** The largest event, as JSON in UTF-8: CortexDB refuses texts over 1 MiB. */
export const MAX_EVENT_BYTES = 768 * 1024;

/** An item laid out. */
export interface LaidOut {
  /** Its id. */
  readonly id: ItemId;
  /** Its events, in order. */
  readonly drafts: readonly EventDraft[];
}

/** What differs between the events of one item. */
interface EventPart {
  readonly text: string;
  readonly role: Role;
  readonly facts: Partial<Envelope>;
  readonly observedAt: string | undefined;
  readonly derive: boolean;
}

const MODALITIES = {
  document: "document",
  conversation: "conversation",
  learning: "observation",
} as const;

/**
 * Lays an item out.
 *
 * @throws {CortexRefusalError} `invalid_request` when an event is too large
 */
export async function layOut(item: Item, scope: ScopePath): Promise<LaidOut> {
  const id = itemId(item);
  const lookup = lookupLabels(id, item);
  const parts = partsOf(item);
  const drafts = parts.map((part, index) => {
    const envelope: Envelope = {
      id,
      kind: item.kind,
      meta: item.meta,
      part: { index, count: parts.length },
      ...part.facts,
    };
    const draft = {
      scope,
      modality: MODALITIES[item.kind],
      role: part.role,
      ...pack(envelope, part.text, lookup),
      observedAt: part.observedAt,
      derive: part.derive,
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

function partsOf(item: Item): readonly EventPart[] {
  const { observedAt, derive = true } = item.meta;
  switch (item.kind) {
    case "learning": {
      const { text, learningKind, confidence, evidence } = item;
      const facts = { learningKind, confidence, evidence };
      return [{ text, role: "user", facts, observedAt, derive }];
    }
    case "conversation":
      return item.turns.map(({ role, text, at, toolCalls }) => ({
        text,
        role,
        facts: { role, at, toolCalls },
        observedAt: at ?? observedAt,
        // What a tool printed is kept and found, and nothing is made of it.
        derive: derive && role !== "tool",
      }));
    case "document": {
      const { title, mime } = item;
      // The heading is part of the text so that it is searched, too.
      const pieces = cutPieces(headingOf(title) + item.body);
      const facts = { title, mime };
      return pieces.map((text) =>
        ({ text, role: "user", facts, observedAt, derive }) as const
      );
    }
  }
}

function checkSize(draft: Omit<EventDraft, "idempotencyKey">, index: number) {
  const bytes = new TextEncoder().encode(JSON.stringify(draft)).length;
  if (bytes <= MAX_EVENT_BYTES) return;
  throw invalidRequest(
    `Event ${index} of the item would have ${bytes} bytes, the most is ${MAX_EVENT_BYTES}; store it in smaller parts`,
  );
}
