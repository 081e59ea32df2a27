/**
 * What the local CortexDB asks of its storage. The service knows the wire and
 * nothing of SQL; whatever has this shape can stand behind it. An adapter in
 * another module takes its types from here, and nothing else of cortex.
 *
 * Every promise rejects when the storage cannot answer now; the service then
 * says 503. What a caller did wrong never reaches the log.
 *
 * @module
 */

import type {
  LogMember,
  NewScope,
  ScopeListRequest,
  ScopeRecord,
} from "./scope_port.ts";
import type { VectorLog } from "./vector_port.ts";

export type {
  LogMember,
  NewScope,
  ScopeListRequest,
  ScopeRecord,
} from "./scope_port.ts";
export type {
  EmbeddedEvent,
  LogNear,
  LogNearest,
  LogNearRequest,
  LogVector,
  VectorLog,
} from "./vector_port.ts";

/** A JSON object as parsed. */
export type LogObject = Readonly<Record<string, unknown>>;

/** An event to store. */
export interface NewLogEvent {
  /** The scope it lands in. */
  readonly scope: string;
  /** Who writes it. */
  readonly actor: string;
  /** Where it comes from: conversation, document, … */
  readonly modality: string;
  /** Kind of its content: message, text, json, triple. */
  readonly kind: string;
  /** Its labels, as given. */
  readonly labels: readonly string[];
  /** Its content, as given. */
  readonly content: LogObject;
  /** Everything else that a listing gives back. */
  readonly context: LogObject;
  /** What a search finds it by. */
  readonly index: LogIndexEntry;
  /** When it happened, RFC 3339; undefined: when it is recorded. */
  readonly observedAt: string | undefined;
  /** Key under which a repeated write is recognised. */
  readonly idempotencyKey: string | undefined;
  /** Digest of the body that the key stands for. */
  readonly bodyHash: string;
}

/** What an index holds of an event. */
export interface LogIndexEntry {
  /** Version of the analyser that made it. */
  readonly analyser: number;
  /** Its passages, at least one; the first has what is around the text, too. */
  readonly passages: readonly LogPassage[];
  /** Terms that a misspelt word may stand for. */
  readonly known: readonly string[];
}

/** A stretch of an event's text, or of what is around it. */
export interface LogPassage {
  /** Where it begins in the text, in characters; undefined: beside the text. */
  readonly from: number | undefined;
  /** How many characters it has. */
  readonly characters: number;
  /** Words of it that say something. */
  readonly length: number;
  /** Its terms and where each stands. */
  readonly terms: ReadonlyMap<string, readonly LogPlace[]>;
}

/** A part of an event that is searched. */
export type LogField = "title" | "tags" | "meta" | "text";

/** Where a term stands. */
export interface LogPlace {
  /** Place among the words, from 0 to 16,000. */
  readonly at: number;
  /** In which part. */
  readonly field: LogField;
}

/** An event as stored. */
export interface LogEvent {
  /** Its id, `evt_` and 32 hex digits. */
  readonly id: string;
  /** Its place in the log; later events have greater ones. */
  readonly offset: number;
  /** The scope it lies in. */
  readonly scope: string;
  /** Who wrote it. */
  readonly actor: string;
  /** Where it comes from. */
  readonly modality: string;
  /** Its labels. */
  readonly labels: readonly string[];
  /** Its content. */
  readonly content: LogObject;
  /** The rest of what it came with. */
  readonly context: LogObject;
  /** Characters of its whole text, where only the beginning was asked for. */
  readonly textLength?: number | undefined;
  /** The conversation that it begins, where such come as one. */
  readonly fold?: LogFold | undefined;
  /** The ids of the turns of that conversation, where they were asked for. */
  readonly turnIds?: readonly string[] | undefined;
  /** When it happened, RFC 3339. */
  readonly observedAt: string;
  /** When it was stored, RFC 3339. */
  readonly recordedAt: string;
}

/** How many turns, and characters of their texts and of their roles. */
export interface LogTally {
  /** Turns. */
  readonly events: number;
  /** Characters of their texts. */
  readonly textLength: number;
  /** Characters of their roles' names. */
  readonly roleLength: number;
}

/** A conversation: all of its turns counted, and some of them. */
export interface LogFold extends LogTally {
  /** Its beginning and what else was asked for, with what is before each. */
  readonly parts: readonly (LogEvent & { readonly before: LogTally })[];
}

/** What became of one event of a write. */
export interface LogReceipt {
  /** Id of the stored event, the first one's when this is a replay. */
  readonly id: string;
  /** Its place in the log; 0 when a replay's event is not at hand. */
  readonly offset: number;
  /** Whether the same write had been stored before, so that nothing was. */
  readonly isReplay: boolean;
}

/** All events of a write, or none: the one at `conflictAt` reuses a key. */
export type AppendOutcome =
  | { readonly ok: true; readonly receipts: readonly LogReceipt[] }
  | { readonly ok: false; readonly conflictAt: number };

/** Which scopes a read covers. */
export interface LogReach {
  /** The scope alone, with those above it, or with those below it. */
  readonly kind: "exact" | "above" | "below";
  /** The scope. */
  readonly scope: string;
}

/** Narrows a read. */
export interface LogFilter {
  /** Events that carry one of these; empty: all. */
  readonly labels: readonly string[];
  /** Events of one of these actors; empty: all. */
  readonly actors: readonly string[];
  /** Events of this modality. */
  readonly modality: string | undefined;
  /** Events that happened at this time or later. */
  readonly since: string | undefined;
  /** Events that happened before this time. */
  readonly until: string | undefined;
  /** Events that were stored at this time or earlier. */
  readonly recordedBy: string | undefined;
}

/** How much of each event is wanted. */
export interface LogShare {
  /** Only so many characters of each text; whole texts when left out. */
  readonly textLimit?: number | undefined;
}

/** One page of a listing, newest first. */
export interface LogListRequest extends LogShare {
  /** Which scopes. */
  readonly reach: LogReach;
  /** Which events. */
  readonly filter: LogFilter;
  /** Only events before this place in the log. */
  readonly before: number | undefined;
  /** Events at most. */
  readonly limit: number;
  /**
   * Of turns of one scope with the same first label only the first comes, with
   * their beginning and those of these ids, or with the ids of them all;
   * undefined: each comes by itself.
   */
  readonly foldWith?: readonly string[] | "ids" | undefined;
}

/** A page of a listing. */
export interface LogPage {
  /** The events, newest first. */
  readonly events: readonly LogEvent[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

/** Asks how often terms are met. */
export interface LogFrequencyRequest {
  /** The scopes, all of one root. */
  readonly scopes: readonly string[];
  /** What is looked for; any of its terms satisfies each. */
  readonly queries: readonly (readonly string[])[];
}

/** How often terms are met. */
export interface LogFrequencies {
  /** Passages of the root. */
  readonly passages: number;
  /** Their mean length. */
  readonly meanLength: number;
  /** For each query in how many passages, about. */
  readonly frequencies: readonly number[];
}

/** A search for passages. */
export interface LogCandidateRequest {
  /** The scopes, all of one root. */
  readonly scopes: readonly string[];
  /** Which events. */
  readonly filter: LogFilter;
  /** What is looked for, and what each counts. */
  readonly queries: readonly LogWeighedQuery[];
  /**
   * A passage is looked at that satisfies all queries of one of these groups,
   * which are places in `queries`.
   */
  readonly groups: readonly (readonly number[])[];
  /**
   * Of so many of the newest passages, and as many of events' first passages,
   * those that satisfy any query, too.
   */
  readonly newest: number;
  /** Further terms whose places are told. */
  readonly others: readonly string[];
  /** Mean length of the passages. */
  readonly meanLength: number;
  /** Passages at most. */
  readonly limit: number;
}

/** Something that is looked for. */
export interface LogWeighedQuery {
  /** Any of these terms satisfies it. */
  readonly terms: readonly string[];
  /** What it counts. */
  readonly weight: number;
}

/** A passage that may fit. */
export interface LogCandidate {
  /** The event. */
  readonly id: string;
  /** When it happened, RFC 3339. */
  readonly observedAt: string;
  /** Where it begins in the text, in characters; undefined: beside the text. */
  readonly from: number | undefined;
  /** How many characters it has. */
  readonly characters: number;
  /** Words of it that say something. */
  readonly length: number;
  /** Where the terms stand that are looked for. */
  readonly terms: ReadonlyMap<string, readonly LogPlace[]>;
  /** Where they stand in the event's first passage, unless this is it. */
  readonly head: ReadonlyMap<string, readonly LogPlace[]>;
}

/** A stretch of an event's text. */
export interface LogExcerptRequest {
  /** The event. */
  readonly id: string;
  /** Where it begins, in characters. */
  readonly from: number;
  /** How many characters. */
  readonly characters: number;
}

/** An event that is to be indexed. */
export interface UnindexedEvent {
  /** The event. */
  readonly event: Pick<LogEvent, "scope" | "offset">;
  /** What it gets. */
  readonly entry: LogIndexEntry;
}

/** What to delete from one scope. */
export interface LogForgetRequest {
  /** The scope, and no other. */
  readonly scope: string;
  /** Ids to delete; undefined: any id. */
  readonly ids: readonly string[] | undefined;
  /** Only events stored at this time or later. */
  readonly recordedFrom: string | undefined;
  /** Only events stored before this time. */
  readonly recordedTo: string | undefined;
  /** Who asks. */
  readonly actor: string;
  /** Why, for the record of deletions. */
  readonly note: string | undefined;
}

/** An erasure to start. */
export interface LogErasureRequest {
  /** The scope; everything below it goes, too. */
  readonly scope: string;
  /** Who asks. */
  readonly actor: string;
  /** Why, for the record of deletions. */
  readonly note: string | undefined;
}

/** Where an erasure stands. */
export interface LogErasure {
  /** Its id, `era_` and 32 hex digits. */
  readonly id: string;
  /** The scope at its top. */
  readonly scope: string;
  /** Whether it is done. */
  readonly status: "running" | "completed";
  /** Events deleted so far. */
  readonly deleted: number;
}

/** Storage of events and scopes. */
export interface EventLog extends VectorLog {
  /** Stores all of the events, in order, or none. */
  append(events: readonly NewLogEvent[]): Promise<AppendOutcome>;
  /** One page of events, newest first. */
  list(request: LogListRequest): Promise<LogPage>;
  /** Those of the events that exist, in the order asked. */
  read(
    ids: readonly string[],
    share?: LogShare,
  ): Promise<readonly LogEvent[]>;
  /** How often terms are met. */
  frequencies(request: LogFrequencyRequest): Promise<LogFrequencies>;
  /** The passages that may fit best, by a rough measure, best first. */
  candidates(request: LogCandidateRequest): Promise<readonly LogCandidate[]>;
  /** Terms of the scope's root that look like a word. */
  similarTerms(scope: string, word: string): Promise<readonly string[]>;
  /** Passages of texts: for each id and stretch, in characters, its text. */
  excerpts(
    requests: readonly LogExcerptRequest[],
  ): Promise<readonly (string | undefined)[]>;
  /** Some events that are not indexed, of the scope's root or of any. */
  readUnindexed(
    limit: number,
    scope?: string,
  ): Promise<readonly LogEvent[]>;
  /** How many are not, up to a limit. */
  countUnindexed(limit: number, scope?: string): Promise<number>;
  /** Indexes events; those that are gone, or indexed by now, are left out. */
  index(events: readonly UnindexedEvent[]): Promise<void>;
  /** Looks for events of older analysers; whether more may be left. */
  findOutdated(analyser: number): Promise<boolean>;
  /** Counts some terms ahead, so that recalls need not; whether more is left. */
  countTerms(): Promise<boolean>;
  /** Deletes events of one scope and releases their keys; how many. */
  forget(request: LogForgetRequest): Promise<number>;
  /** How many events a forget would delete. */
  countForgettable(request: LogForgetRequest): Promise<number>;
  /** Records an erasure and works on it for a short while. */
  startErasure(request: LogErasureRequest): Promise<LogErasure>;
  /** Works on an erasure for a short while; undefined: there is none. */
  advanceErasure(id: string): Promise<LogErasure | undefined>;
  /** Takes one step of what is to be cleared away; whether more may be left. */
  advanceErasures(): Promise<boolean>;
  /** Registers a scope; undefined: it is registered already. */
  registerScope(scope: NewScope): Promise<ScopeRecord | undefined>;
  /** A registered scope. */
  findScope(path: string): Promise<ScopeRecord | undefined>;
  /** Replaces a scope's members; undefined: it is not registered. */
  replaceMembers(
    path: string,
    members: readonly LogMember[],
  ): Promise<ScopeRecord | undefined>;
  /** Registered scopes in the order of their paths. */
  listScopes(request: ScopeListRequest): Promise<readonly ScopeRecord[]>;
  /** Resolves when the storage answers. */
  ping(): Promise<void>;
}
