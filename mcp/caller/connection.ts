/**
 * What a connection is: groups, fence and calling session, and who calls.
 *
 * @module
 */
import type { Session } from "../../store/sessions/mod.ts";

/** Who a request comes from. */
export type Caller =
  | {
    readonly kind: "key";
    /** SHA-256 of the key, in hexadecimal digits. */
    readonly digest: string;
  }
  | {
    readonly kind: "session";
    readonly session: Session;
    /** The turn whose token it is, where that has not called MCP before. */
    readonly unheardTurn?: number;
  };

/** What a connection may see, and in whose name it calls. */
export interface Connection {
  /** Groups it asked for. */
  readonly groups: readonly string[];
  /** Groups its session is confined to; undefined confines nothing. */
  readonly confinedTo: readonly string[] | undefined;
  /** Names in `tool_groups` that are no group. */
  readonly unknownGroups: readonly string[];
  /** Roots it may act on; null is unrestricted. */
  readonly allowedAgentRoots: readonly string[] | null;
  /** The calling session; null when it names none. */
  readonly sessionId: number | null;
  /** Reads those groups when they are first needed, where they are not known. */
  readonly readConfinement?: () => Promise<readonly string[] | undefined>;
  /**
   * Registers the session of a connection that named its root instead, when a
   * call first needs it; the same session every time.
   */
  readonly startSession?: () => Promise<number>;
  /** Where the client reached this server over HTTP: scheme, host and port. */
  readonly origin?: string;
  /** Whether the session was proven: by a token, or by who started us. */
  readonly isProven: boolean;
  /** The turn whose agent calls for the first time; undefined is none. */
  readonly unheardTurn?: number | undefined;
  /** SHA-256 of the API key it came with; undefined where it came with none. */
  readonly keyDigest?: string | undefined;
}
