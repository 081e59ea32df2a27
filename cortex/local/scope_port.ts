/**
 * What the local CortexDB asks of its storage about scopes.
 *
 * @module
 */
import type { LogObject } from "./port.ts";

/** Someone with a role in a scope. */
export interface LogMember {
  /** Who. */
  readonly actor: string;
  /** owner, writer or reader. */
  readonly role: string;
}

/** A registered scope. */
export interface ScopeRecord {
  /** Its path. */
  readonly path: string;
  /** Who has a role in it, in order. */
  readonly members: readonly LogMember[];
  /** Its policies, kept as given. */
  readonly policies: LogObject;
  /** Whether a write registered it. */
  readonly isAutoProvisioned: boolean;
  /** When it was registered, RFC 3339. */
  readonly createdAt: string;
  /** How many events it holds, where a listing counts them. */
  readonly events?: number | undefined;
}

/** A scope to register. */
export interface NewScope {
  /** Its path. */
  readonly path: string;
  /** Its members. */
  readonly members: readonly LogMember[];
  /** Its policies. */
  readonly policies: LogObject;
}

/** Which scopes to list. */
export interface ScopeListRequest {
  /** This path and those below it; undefined: all. */
  readonly prefix: string | undefined;
  /** Leave out `prefix` itself. */
  readonly isStrictlyBelow: boolean;
  /** Only scopes that a write registered, or only the others. */
  readonly isAutoProvisioned: boolean | undefined;
  /** Only paths behind this one. */
  readonly after: string | undefined;
  /** Scopes at most. */
  readonly limit: number;
  /** Up to which number each one's events are counted; undefined: not. */
  readonly countTo?: number | undefined;
}
