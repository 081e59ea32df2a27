/**
 * Narrow decoders: each takes exactly the fields that `wire.ts` names and
 * ignores the rest; a word it does not know becomes "unknown". Both shapes in
 * which events and scope listings have been seen are read.
 *
 * @module
 */

import type { AnswerPart } from "./answer_part.ts";
import type {
  Answer,
  AppendReceipt,
  Erasure,
  ErasureId,
  EventId,
  EventPage,
  Fold,
  Forgotten,
  Health,
  Pack,
  PackId,
  ScopeMember,
  ScopePage,
  StoredEvent,
  Tally,
} from "./wire.ts";
import { countCharacters, sliceCharacters } from "../characters.ts";
import { ROLES } from "../words.ts";

/** Reads the receipt of one event. */
export function decodeReceipt(
  part: AnswerPart,
  mayHaveActed = false,
): AppendReceipt {
  const isReplay = part.field("replayed_from_idempotency").isTrue();
  return {
    eventId: part.field("event_id").text() as EventId, // As answered.
    isReplay,
    ...(isReplay && mayHaveActed ? { mayBeOwn: true } : {}),
  };
}

/** Reads the receipts of `count` events, in the order sent. */
export function decodeReceipts(
  part: AnswerPart,
  count: number,
  mayHaveActed = false,
): readonly AppendReceipt[] {
  const results = part.field("results");
  const list = results.list();
  if (list.length !== count) {
    throw results.fault(`has ${list.length} entries for ${count} events`);
  }
  return list.map((result, at) => {
    const index = result.field("index");
    if ((index.optionalCount() ?? at) === at) {
      return decodeReceipt(result, mayHaveActed);
    }
    throw index.fault(`is not ${at}: the order is not the one sent`);
  });
}

/**
 * Reads an event, in either of its shapes. Whether or not the other side cut
 * its text, the event has no more of it than the limit.
 */
export function decodeEvent(
  part: AnswerPart,
  textLimit?: number,
): StoredEvent {
  const content = part.field("content");
  const context = part.field("context");
  const labels = [context.field("labels"), part.field("labels")]
    .find((one) => !one.isAbsent)?.list() ?? [];
  const time = (name: string): string | undefined =>
    context.field(name).optionalText() ?? part.field(name).optionalText();
  const text = content.field("text").optionalText();
  const isShort = textLimit !== undefined && text !== undefined;
  const fold = part.field("fold");
  const turnIds = part.field("turn_ids");
  return {
    id: part.firstOf("id", "event_id").text() as EventId, // As answered.
    scope: part.field("scope").optionalText(),
    role: content.field("role").oneOf(ROLES),
    text: isShort ? sliceCharacters(text, 0, textLimit) : text,
    ...(isShort
      ? {
        characters: part.field("text_length").optionalCount() ??
          countCharacters(text),
      }
      : {}),
    ...(fold.isAbsent ? {} : { fold: decodeFold(fold, textLimit) }),
    ...(turnIds.isAbsent
      ? {}
      // As answered.
      : { turnIds: turnIds.list().map((id) => id.text() as EventId) }),
    // Anybody may have written an empty one.
    labels: labels.map((label) => label.optionalText() ?? ""),
    observedAt: time("observed_at"),
    recordedAt: time("recorded_at"),
  };
}

function decodeFold(part: AnswerPart, textLimit?: number): Fold {
  return {
    ...decodeTally(part),
    parts: part.field("parts").list().map((one) => ({
      before: decodeTally(one.field("before")),
      event: decodeEvent(one.field("event"), textLimit),
    })),
  };
}

function decodeTally(part: AnswerPart): Tally {
  return {
    events: part.field("events").optionalCount() ?? 0,
    textLength: part.field("text_length").optionalCount() ?? 0,
    roleLength: part.field("role_length").optionalCount() ?? 0,
  };
}

/** Reads a page; one that leads back to `sent` would never end. */
export function decodePage(
  part: AnswerPart,
  sent: string | undefined,
  textLimit?: number,
): EventPage {
  const events = part.field("items").list()
    .map((event) => decodeEvent(event, textLimit));
  const next = part.field("next_cursor");
  const hasMore = part.field("has_more").isTrue();
  const cursor = hasMore ? next.optionalText() : undefined;
  if (cursor !== undefined && cursor === sent) {
    throw next.fault("is the cursor that was sent");
  }
  return { events, nextCursor: cursor === "" ? undefined : cursor };
}

/** Reads what a recall found. */
export function decodePack(part: AnswerPart, textLimit?: number): Pack {
  return {
    packId: part.field("pack_id").text() as PackId, // As answered.
    events: part.field("layers").field("events").optionalList()
      .map((event) => decodeEvent(event, textLimit)),
    warnings: part.field("warnings").optionalList()
      .flatMap(({ value }) => typeof value === "string" ? [value] : []),
  };
}

/** Reads an answer in words. */
export function decodeAnswer(part: AnswerPart): Answer {
  return {
    // null says that nothing answers it; without the field it is no answer.
    text: part.field("answer").value === null
      ? undefined
      : part.field("answer").text(),
    model: part.field("diagnostics").field("answer_model").optionalText(),
    citations: part.field("citations").optionalList().map((citation) => ({
      id: citation.field("id").optionalText(),
      layer: citation.field("layer").oneOf([
        "events",
        "facts",
        "beliefs",
        "episodes",
        "understanding",
      ]),
    })),
  };
}

/** Reads what was removed. */
export function decodeForgotten(part: AnswerPart): Forgotten {
  const deleted = part.field("deleted").field("events");
  const matched = part.field("matched").optionalCount();
  return { matched: matched ?? deleted.optionalCount() };
}

const RUNNING_WORDS = ["running", "pending", "queued", "accepted"] as const;

/** Reads how an erasure stands; one without a status is done. */
export function decodeErasure(part: AnswerPart): Erasure {
  const ids = part.field("erasure_ids").optionalList()
    .concat(part.field("erasure_id"))
    .filter((id) => !id.isAbsent)
    .map((id) => id.text() as ErasureId); // As answered.
  const status = part.field("status");
  const erased = part.field("erased");
  if (!erased.isAbsent && !erased.isTrue()) return { ids, status: "unknown" };
  if (status.isAbsent) return { ids, status: "completed" };
  const word = status.oneOf(["completed", ...RUNNING_WORDS]);
  if (word === "completed" || word === "unknown") return { ids, status: word };
  return { ids, status: "running" };
}

/**
 * Reads a scope listing. One as long as `limit` may have been cut, unless it
 * says what follows: CortexDB has no cursor here, the local service has one.
 */
export function decodeScopes(part: AnswerPart, limit: number): ScopePage {
  const events = new Map<string, number>();
  const paths = part.firstOf("items", "scopes").list().map((entry) => {
    if (typeof entry.value === "string") return entry.text();
    const path = entry.field("path").text();
    const count = entry.field("events").optionalCount();
    if (count !== undefined) events.set(path, count);
    return path;
  });
  const hasMore = part.field("has_more").isTrue();
  const cursor = hasMore ? part.field("next_cursor").optionalText() : undefined;
  return {
    paths,
    ...(events.size === 0 ? {} : { events }),
    isCut: hasMore || (paths.length >= limit && !part.has("next_cursor")),
    nextCursor: cursor === "" ? undefined : cursor,
  };
}

/** Reads the members of a scope's record; a record without a list has none. */
export function decodeMembers(part: AnswerPart): readonly ScopeMember[] {
  return part.field("members").optionalList().map((member) => ({
    actor: member.field("actor").text(),
    role: member.field("role").text(),
  }));
}

/** Reads a health report. */
export function decodeHealth(part: AnswerPart): Health {
  const unindexed = part.field("index").field("pending").optionalCount();
  const embeddings = part.field("embeddings");
  const unembedded = embeddings.field("pending").optionalCount();
  const embeddingFault = embeddings.field("fault").optionalText();
  return {
    status: part.field("status").oneOf(["healthy", "degraded", "unhealthy"]),
    version: part.field("version").optionalText(),
    ...(unindexed === undefined ? {} : { unindexed }),
    ...(unembedded === undefined ? {} : { unembedded }),
    ...(embeddingFault === undefined ? {} : { embeddingFault }),
  };
}
