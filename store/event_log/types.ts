/**
 * What the event log takes and gives, as plain data.
 *
 * @module
 */
import type { JsonObject } from "../pg/storable.ts";
import type { Db } from "../pg/db.ts";

/** An event to store. */
export interface EventInput {
  /** Path of the scope it lands in. */
  readonly scope: string;
  /** Who writes it. */
  readonly actor: string;
  /** Where it comes from. */
  readonly modality: string;
  /** Kind of its content. */
  readonly kind: string;
  /** Its labels. */
  readonly labels: readonly string[];
  /** Its content. */
  readonly content: JsonObject;
  /** The rest of what it came with. */
  readonly context: JsonObject;
  /** The text that a search looks at. */
  readonly text: string;
  /** When it happened, RFC 3339; undefined: when it is stored. */
  readonly observedAt: string | undefined;
  /** Key that makes a repeated write a replay. */
  readonly idempotencyKey: string | undefined;
  /** Digest of the body that the key stands for. */
  readonly bodyHash: string;
}

/** A stored event. */
export interface EventRecord {
  /** `evt_` and 32 hex digits. */
  readonly id: string;
  /** Its place in the log. */
  readonly offset: number;
  /** Path of its scope. */
  readonly scope: string;
  /** Who wrote it. */
  readonly actor: string;
  /** Where it comes from. */
  readonly modality: string;
  /** Its labels. */
  readonly labels: readonly string[];
  /** Its content. */
  readonly content: JsonObject;
  /** The rest of what it came with. */
  readonly context: JsonObject;
  /** When it happened, RFC 3339. */
  readonly observedAt: string;
  /** When it was stored, RFC 3339. */
  readonly recordedAt: string;
}

/** What became of one event of a write. */
export interface EventReceipt {
  /** Id of the stored event. */
  readonly id: string;
  /** Its place in the log. */
  readonly offset: number;
  /** Whether it had been stored before. */
  readonly isReplay: boolean;
}

/** All events of a write, or none because one reuses a key. */
export type EventsOutcome =
  | { readonly ok: true; readonly receipts: readonly EventReceipt[] }
  | { readonly ok: false; readonly conflictAt: number };

/** A scope, alone, or with what is above or below it. */
export interface EventReach {
  /** Which other scopes belong to it. */
  readonly kind: "exact" | "above" | "below";
  /** Path of the scope. */
  readonly scope: string;
}

/** Narrows a listing or a search. */
export interface EventFilter {
  /** Events with any of these labels; empty: all. */
  readonly labels: readonly string[];
  /** Events of any of these actors; empty: all. */
  readonly actors: readonly string[];
  /** Events of this modality. */
  readonly modality: string | undefined;
  /** Events that happened then or later. */
  readonly since: string | undefined;
  /** Events that happened before. */
  readonly until: string | undefined;
  /** Events stored by then. */
  readonly recordedBy: string | undefined;
}

/** Asks for a page of events, newest first. */
export interface EventListRequest {
  /** Which scopes. */
  readonly reach: EventReach;
  /** Which events. */
  readonly filter: EventFilter;
  /** Only events before this place. */
  readonly before: number | undefined;
  /** Events at most. */
  readonly limit: number;
}

/** Asks for the best events for some words. */
export interface EventSearchRequest {
  /** Which scopes. */
  readonly reach: EventReach;
  /** Which events. */
  readonly filter: EventFilter;
  /** The words. */
  readonly query: string;
  /** Events at most. */
  readonly limit: number;
}

/** Names events of one scope that are to be deleted. */
export interface EventForgetRequest {
  /** Path of the scope. */
  readonly scope: string;
  /** Ids; undefined: any. */
  readonly ids: readonly string[] | undefined;
  /** Only events stored then or later. */
  readonly recordedFrom: string | undefined;
  /** Only events stored before. */
  readonly recordedTo: string | undefined;
  /** Who asks. */
  readonly actor: string;
  /** Why. */
  readonly note: string | undefined;
}

/** Where an erasure stands. */
export interface ErasureRecord {
  /** `era_` and 32 hex digits. */
  readonly id: string;
  /** Path of the scope at its top. */
  readonly scope: string;
  /** Whether it is done. */
  readonly status: "running" | "completed";
  /** Events deleted so far. */
  readonly deleted: number;
}

/** Someone's role in a scope. */
export interface EventScopeMember {
  /** Who. */
  readonly actor: string;
  /** The role. */
  readonly role: string;
}

/** A registered scope. */
export interface EventScope {
  /** Its path. */
  readonly path: string;
  /** Its members, in order. */
  readonly members: readonly EventScopeMember[];
  /** Its policies. */
  readonly policies: JsonObject;
  /** Whether a write registered it. */
  readonly isAutoProvisioned: boolean;
  /** When, RFC 3339. */
  readonly createdAt: string;
}

/** Which scopes to list, in the order of their paths. */
export interface EventScopeQuery {
  /** This path and those below it; undefined: all. */
  readonly prefix: string | undefined;
  /** Leave out the prefix itself. */
  readonly isStrictlyBelow: boolean;
  /** Only those that a write registered, or only the others. */
  readonly isAutoProvisioned: boolean | undefined;
  /** Only paths behind this one. */
  readonly after: string | undefined;
  /** Scopes at most. */
  readonly limit: number;
}

/** Opens the database when it is first needed. */
export type OpenDb = () => Promise<Db>;

/** First segment of a path: what the tables are distributed by. */
export function rootOf(path: string): string {
  const slash = path.indexOf("/");
  return slash < 0 ? path : path.slice(0, slash);
}

/** A uuid as wire id: `evt_`, `era_` or `fgt_` and its hex digits. */
export function toWireId(kind: string, uuid: unknown): string {
  return `${kind}_${String(uuid).replaceAll("-", "")}`;
}

/** The uuid of a wire id; undefined when the text is none. */
export function fromWireId(kind: string, id: string): string | undefined {
  const hex = id.startsWith(`${kind}_`) ? id.slice(kind.length + 1) : "";
  return /^[0-9a-f]{32}$/.test(hex) ? hex : undefined;
}
