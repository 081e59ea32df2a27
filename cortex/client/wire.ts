/**
 * What goes to CortexDB and what is read of its answers, on either wire: the
 * types, and the bodies of requests.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Role } from "../words.ts";
import type { RootPath, ScopePath, ScopePrefix } from "../layout/scope.ts";

/** The id of a stored event, as an answer gave it. */
export type EventId = string & { readonly __brand: "EventId" };

/** The id of a recalled pack; it lives for about a minute. */
export type PackId = string & { readonly __brand: "PackId" };

/** The id of an erasure. */
export type ErasureId = string & { readonly __brand: "ErasureId" };

/** What an event is, which decides what is extracted from it. */
export type Modality = "document" | "conversation" | "observation";

/** One event to store. */
export interface EventDraft {
  /** Where it goes. */
  readonly scope: ScopePath;
  /** What it is. */
  readonly modality: Modality;
  /** Who speaks. */
  readonly role: Role;
  /** Its text. */
  readonly text: string;
  /** Its labels, at most 64. */
  readonly labels: readonly string[];
  /** When it was so, RFC 3339. */
  readonly observedAt?: string | undefined;
  /**
   * Whether anything may be derived from it.
   *
   * @default {true}
   */
  readonly derive?: boolean | undefined;
  /** Same key, same event: 1 to 64 printable characters, see `eventKey`. */
  readonly idempotencyKey: string;
}

/** One event stored, or found stored already. */
export interface AppendReceipt {
  /** The event. */
  readonly eventId: EventId;
  /** Whether this key had been written before. */
  readonly isReplay: boolean;
  /** Set when that may have been by an earlier try of the same call. */
  readonly mayBeOwn?: true;
}

/** A page of a scope's events. */
export interface EventQuery {
  /** The scope, read exactly. */
  readonly scope: ScopePath | RootPath;
  /** Whether the scopes below are read, too; not every CortexDB does. */
  readonly below?: boolean | undefined;
  /** Keeps events with any of these labels; at most 50, none with a comma. */
  readonly labels?: readonly string[] | undefined;
  /**
   * The most events of the page, copies counted.
   *
   * @default {200}
   */
  readonly limit?: number | undefined;
  /** Where the last page ended. */
  readonly cursor?: string | undefined;
  /** Only so many characters of each text; whole texts when left out. */
  readonly textLimit?: number | undefined;
  /**
   * Asks for conversations as one event each, and for these of their turns, at
   * most 100; what comes shows by `fold` whether that was heard.
   */
  readonly foldWith?: readonly EventId[] | undefined;
  /**
   * Asks for conversations as one event each, in another way: with the ids of
   * all their turns, and nothing else of them.
   */
  readonly isWithTurnIds?: boolean | undefined;
}

/** How many turns, and characters of their texts and of their roles. */
export interface Tally {
  /** Turns. */
  readonly events: number;
  /** Characters of their texts. */
  readonly textLength: number;
  /** Characters of the names of their roles. */
  readonly roleLength: number;
}

/** A conversation that came as one event. */
export interface Fold extends Tally {
  /** Some of its turns, in order, and what is before each. */
  readonly parts: readonly FoldPart[];
}

/** A turn of a conversation that came as one event. */
export interface FoldPart {
  /** What is before it. */
  readonly before: Tally;
  /** It. */
  readonly event: StoredEvent;
}

/** An event as it is stored. */
export interface StoredEvent {
  /** Its id. */
  readonly id: EventId;
  /** Its scope; on the hosted wire perhaps with the tenant in front. */
  readonly scope: string | undefined;
  /** Who speaks, if anyone. */
  readonly role: Role | "unknown";
  /** Its text; undefined for a content that has none. */
  readonly text: string | undefined;
  /** Characters of the whole text, where only its beginning was asked for. */
  readonly characters?: number | undefined;
  /** The conversation that it is the first turn of, where that came as one. */
  readonly fold?: Fold | undefined;
  /** The turns of the conversation, where it came as one with their ids. */
  readonly turnIds?: readonly EventId[] | undefined;
  /** Its labels. */
  readonly labels: readonly string[];
  /** When it was so, as written. */
  readonly observedAt: string | undefined;
  /** When it was stored, as written. */
  readonly recordedAt: string | undefined;
}

/** A page of events. */
export interface EventPage {
  /** Newest first. An event may come twice, within a page and across pages. */
  readonly events: readonly StoredEvent[];
  /** Where the next page begins; undefined on the last. */
  readonly nextCursor: string | undefined;
}

/** What to find in one scope. */
export interface RecallQuery {
  /** The scope, read exactly. */
  readonly scope: ScopePath;
  /** What to look for. */
  readonly query: string;
  /** The most events. */
  readonly maxEvents: number;
  /** The most that all events together may hold; CortexDB's own when left out. */
  readonly maxTokens?: number | undefined;
  /** Keeps events with any of these labels. */
  readonly labels?: readonly string[] | undefined;
  /** Only so many characters of each text; else as many as the budget has. */
  readonly textLimit?: number | undefined;
}

/** What was found. */
export interface Pack {
  /** Names the pack to `answer`. */
  readonly packId: PackId;
  /** Best first. A text may begin with its role in brackets. */
  readonly events: readonly StoredEvent[];
  /** What the other side has to say about it. */
  readonly warnings: readonly string[];
}

/** A question about a pack. A pack is required: it is what confines reading. */
export interface AnswerQuery {
  /** The scope the pack was recalled from. */
  readonly scope: ScopePath;
  /** The pack. */
  readonly packId: PackId;
  /** Those of its events that alone may be used; only our service takes them. */
  readonly eventIds?: readonly EventId[] | undefined;
  /** The question. */
  readonly question: string;
}

/** What an answer rests on. */
export interface Citation {
  /** The event or derived entry. */
  readonly id: string | undefined;
  /** Where that lies. */
  readonly layer:
    | "events"
    | "facts"
    | "beliefs"
    | "episodes"
    | "understanding"
    | "unknown";
}

/** An answer in words. */
export interface Answer {
  /** The words; undefined: nothing in the pack answers the question. */
  readonly text: string | undefined;
  /** The model that wrote them. */
  readonly model: string | undefined;
  /** What it rests on. */
  readonly citations: readonly Citation[];
}

/** Which events to remove from a scope. */
export interface ForgetRequest {
  /** The scope. */
  readonly scope: ScopePath;
  /** The events, 1 to 100. */
  readonly eventIds: readonly EventId[];
  /** Why, for the other side's audit. */
  readonly auditNote: string;
}

/** What was removed. */
export interface Forgotten {
  /** How many of the ids were there; undefined when the answer does not say. */
  readonly matched: number | undefined;
}

/** A scope to erase with everything in it. */
export interface EraseRequest {
  /** The scope. Scopes below it suffer too: erase those first. */
  readonly scope: ScopePath | RootPath;
  /** Why, for the other side's audit. */
  readonly auditNote: string;
}

/** How an erasure stands. */
export interface Erasure {
  /** Its ids; perhaps none for one that is done. */
  readonly ids: readonly ErasureId[];
  /** Anything but "completed" and "running" is a failure. */
  readonly status: "completed" | "running" | "unknown";
}

/** Which registered scopes to list. */
export interface ScopeListQuery {
  /** Empty: every scope. */
  readonly prefix: ScopePrefix;
  /**
   * The most scopes of one answer.
   *
   * @default {1000}
   */
  readonly limit?: number | undefined;
  /** Asks for the number of events of each, counted up to this one. */
  readonly countTo?: number | undefined;
}

/** Registered scopes. */
export interface ScopeListing {
  /** As listed; on the hosted wire perhaps with the tenant in front. */
  readonly paths: readonly string[];
  /** Whether there may be more; there is no next page to ask for. */
  readonly isCut: boolean;
  /** How many events each holds, where that was asked and heard. */
  readonly events?: ReadonlyMap<string, number> | undefined;
}

/** Asks for one page of a listing of scopes. */
export interface ScopePageQuery extends ScopeListQuery {
  /** The most scopes. */
  readonly limit: number;
  /** Where the last page ended; not every wire has pages. */
  readonly cursor: string | undefined;
}

/** One answer of a listing of scopes. */
export interface ScopePage extends ScopeListing {
  /** Where it goes on; CortexDB itself never says. */
  readonly nextCursor: string | undefined;
}

/** A member of a scope. */
export interface ScopeMember {
  /** Who. */
  readonly actor: string;
  /** `owner`, `writer`, `reader`; kept as it is, for it is written back. */
  readonly role: string;
}

/** A scope and its members. */
export interface ScopeMembers {
  /** The scope; registering is for roots. */
  readonly path: ScopePath | RootPath;
  /** All of them. */
  readonly members: readonly ScopeMember[];
}

/** Whether the other side is well. */
export interface Health {
  /** In its own words. */
  readonly status: "healthy" | "degraded" | "unhealthy" | "unknown";
  /** Its version, if it says so. */
  readonly version: string | undefined;
  /** Events that recall does not find yet, where it says so. */
  readonly unindexed?: number | undefined;
  /** Events that have no vectors yet, where it makes any. */
  readonly unembedded?: number | undefined;
  /** Why the last query got no vector, where it makes any. */
  readonly embeddingFault?: string | undefined;
}

/** One event, as `experience` takes it. */
export function toExperience(
  draft: Omit<EventDraft, "idempotencyKey"> & { idempotencyKey?: string },
): Record<string, unknown> {
  const { observedAt, derive = true, idempotencyKey } = draft;
  return {
    scope: draft.scope,
    modality: draft.modality,
    content: { kind: "message", role: draft.role, text: draft.text },
    context: {
      labels: draft.labels,
      ...(observedAt === undefined ? {} : { observed_at: observedAt }),
    },
    ...(derive ? {} : { directives: { extract: [] } }),
    ...(idempotencyKey === undefined
      ? {}
      : { idempotency_key: idempotencyKey }),
  };
}

/**
 * An event's key: a digest of what makes it the same event, which is not all
 * that is sent of it.
 */
export function eventKey(...words: readonly (string | number)[]): string {
  const digest = createHash("sha256").update(JSON.stringify(words));
  return `rc2:${digest.digest("hex").slice(0, 56)}`;
}

/** A recall of one scope, nothing above or below it, and nothing derived. */
export function toRecall(query: RecallQuery): Record<string, unknown> {
  const { labels = [], maxTokens } = query;
  return {
    scope: query.scope,
    query: query.query,
    view: "granular",
    budgets: {
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
      per_layer_limits: {
        events: query.maxEvents,
        facts: 0,
        beliefs: 0,
        episodes: 0,
        understanding: 0,
      },
    },
    ...(labels.length === 0 ? {} : { filters: { metadata: { labels } } }),
  };
}

/** A question. What is not said is left out: one wire refuses a null. */
export function toAnswer(query: AnswerQuery): Record<string, unknown> {
  return {
    scope: query.scope,
    question: query.question,
    use_pack_id: query.packId,
    ...(query.eventIds === undefined ? {} : { events: query.eventIds }),
    cite_sources: true,
  };
}

/**
 * A removal by event ids. The cascade is always named, for the default keeps
 * the events; `confirm_all` is never part of it.
 */
export function toForget(request: ForgetRequest): Record<string, unknown> {
  return {
    scope: request.scope,
    layers: ["events"],
    selector: { memory_ids: request.eventIds },
    cascade: "redact_events",
    audit_note: request.auditNote,
  };
}
