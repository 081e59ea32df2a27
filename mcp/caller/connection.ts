/**
 * What a connection is: groups, fence and calling session, read from the URL's
 * query and nowhere else, so no call can widen its own connection. Pure.
 *
 * @module
 */
import type { Session } from "../../store/sessions/mod.ts";
import { parseGroups, splitList } from "./groups.ts";

/** Who a request comes from. */
export type Caller =
  | { readonly kind: "key" }
  | { readonly kind: "session"; readonly session: Session };

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
  /** Whether the session was proven: by a token, or by who started us. */
  readonly isProven: boolean;
}

/** Reads a connection from a URL's query. Never throws. */
export function parseConnection(query: URLSearchParams): Connection {
  const { groups, unknown } = parseGroups(query.get("tool_groups"));
  const roots = splitList(query.get("allowed_agent_roots"));
  return {
    groups,
    confinedTo: undefined,
    unknownGroups: unknown,
    allowedAgentRoots: roots.length === 0 ? null : roots,
    sessionId: oneSession(query.getAll("session_id")),
    isProven: false,
  };
}

/** Two that differ name none: taking either would be a guess. */
function oneSession(values: readonly string[]): number | null {
  const [id = null, ...others] = new Set(values.map(parseSessionId));
  return others.length === 0 ? id : null;
}

/** Reads a session id: digits only, above zero; anything else is none. */
export function parseSessionId(value: string | null): number | null {
  const text = value?.trim() ?? "";
  if (!/^[0-9]+$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 ? id : null;
}
