/**
 * What the engine needs of CortexDB, whichever wire carries it.
 *
 * Every method rejects with `CortexRefusalError` (no, and another try will not
 * help), `CortexUnavailableError` (no usable answer after every try) or
 * `CortexProtocolError` (an answer that makes no sense), or with the reason of
 * the caller's signal. No message holds the credential.
 *
 * @module
 */

import type { Wire } from "../words.ts";
import type { Actor } from "../layout/scope.ts";
import type {
  Answer,
  AnswerQuery,
  AppendReceipt,
  EraseRequest,
  Erasure,
  ErasureId,
  EventDraft,
  EventId,
  EventPage,
  EventQuery,
  ForgetRequest,
  Forgotten,
  Health,
  Pack,
  RecallQuery,
  ScopeListing,
  ScopeListQuery,
  ScopeMember,
  ScopeMembers,
  StoredEvent,
} from "./wire.ts";
import type { RankedPack, RecallAcrossQuery } from "./recall_across.ts";

/** What any call takes besides its request. */
export interface CallOptions {
  /** Ends the call; its reason is what the call rejects with. */
  readonly signal?: AbortSignal | undefined;
  /** The time limit of each try, instead of the client's. */
  readonly timeoutMs?: number | undefined;
  /** The most tries, when fewer than the retry table allows. */
  readonly maxAttempts?: number | undefined;
}

/** What a write takes besides its request. */
export interface WriteOptions extends CallOptions {
  /**
   * What to wait for beyond the disk. Only the direct wire can; the other
   * answers when the event is captured.
   */
  readonly wait?: "indexed" | undefined;
}

/** CortexDB, over one of its two wires. */
export interface CortexClient {
  /** Which wire. */
  readonly wire: Wire;

  /** Stores one event; tried again under its own key. */
  append(draft: EventDraft, options?: WriteOptions): Promise<AppendReceipt>;
  /**
   * Stores events in order, at most 1000. Direct: one request. Hosted: one
   * each, and on an error those before it are stored.
   */
  appendAll(
    drafts: readonly EventDraft[],
    options?: WriteOptions,
  ): Promise<readonly AppendReceipt[]>;

  /** One page of a scope's events, newest first, repeats left in. */
  listEvents(query: EventQuery, options?: CallOptions): Promise<EventPage>;
  /** One event; undefined when there is none. */
  readEvent(
    id: EventId,
    options?: CallOptions,
  ): Promise<StoredEvent | undefined>;
  /** Ranked events of one scope. */
  recall(query: RecallQuery, options?: CallOptions): Promise<Pack>;
  /**
   * Ranked events of many scopes, in one order; undefined where the other side
   * cannot: then each scope has to be asked by itself. Once it could not, it is
   * not asked again.
   */
  recallAcross(
    query: RecallAcrossQuery,
    options?: CallOptions,
  ): Promise<RankedPack | undefined>;
  /** An answer from a pack; `not_found` when the pack is gone. */
  answer(query: AnswerQuery, options?: CallOptions): Promise<Answer>;

  /** Removes events by their ids. Direct: sent once. */
  forget(request: ForgetRequest, options?: CallOptions): Promise<Forgotten>;
  /** Starts to erase a scope; poll `readErasure` while it is running. */
  erase(request: EraseRequest, options?: CallOptions): Promise<Erasure>;
  /** How an erasure stands; undefined when it is unknown. */
  readErasure(
    id: ErasureId,
    options?: CallOptions,
  ): Promise<Erasure | undefined>;
  /** Hosted only: erases all of the tenant, whoever wrote it. */
  eraseTenant(options?: CallOptions): Promise<void>;

  /** The registered scopes below a prefix; none where nothing lists them. */
  listScopes(
    query: ScopeListQuery,
    options?: CallOptions,
  ): Promise<ScopeListing>;
  /** Direct only: registers a scope; `conflict` when it is. Sent once. */
  registerScope(request: ScopeMembers, options?: CallOptions): Promise<void>;
  /** Direct only: a scope's members; undefined when it is not registered. */
  readMembers(
    path: ScopeMembers["path"],
    options?: CallOptions,
  ): Promise<readonly ScopeMember[] | undefined>;
  /** Direct only: replaces the whole list of members. Sent once. */
  replaceMembers(request: ScopeMembers, options?: CallOptions): Promise<void>;

  /** Direct only: whom the credential speaks for. */
  whoami(options?: CallOptions): Promise<Actor>;
  /** Whether the other side is well. Sent once. */
  health(options?: CallOptions): Promise<Health>;
}

/** Time as the client sees it. */
export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Resolves after the time; rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** How much of everything. */
export interface ClientLimits {
  /**
   * How long one try may take, its body included.
   *
   * @default {60_000}
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The largest good answer.
   *
   * @default {67_108_864}
   */
  readonly maxBodyBytes?: number | undefined;
  /**
   * How much of a refusal is read.
   *
   * @default {65_536}
   */
  readonly maxErrorBytes?: number | undefined;
}

/** What a client is built from. */
export interface ClientOptions {
  /** Where CortexDB answers; a path is kept. */
  readonly endpoint: string;
  /** The bearer, or where to ask for it before every try. */
  readonly credential?: string | (() => string | Promise<string>) | undefined;
  /** Fixed headers beside the client's own; none may bear a credential. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Direct only: whom to act as. Left out: asked for once. */
  readonly actor?: Actor | undefined;
  /** How much of everything. */
  readonly limits?: ClientLimits | undefined;
  /** Replaces `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Replaces the system's time. */
  readonly clock?: Clock | undefined;
  /** Replaces `Math.random`, for the jitter. */
  readonly random?: (() => number) | undefined;
}
