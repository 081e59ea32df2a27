/**
 * Which agent root a session belongs to.
 *
 * The root of a session never changes, so it is remembered for a while: a
 * write then is one round trip to the database. A session that was deleted in
 * the meantime is caught by the statements, which ask for it; what asks for it
 * nowhere has it looked up anew.
 *
 * @module
 */
import { findSession } from "../../store/sessions/mod.ts";
import type { Store } from "../../store/mod.ts";

/** Answers which root a session belongs to. */
export interface SessionRoots {
  /** The session's root key, null for none, undefined for no such session. */
  rootOf(
    sessionId: number,
    options?: { readonly isAnew?: boolean | undefined },
  ): Promise<string | null | undefined>;
}

const REMEMBER_MS = 30_000;
const MAX_REMEMBERED = 10_000;

/** Remembers roots for half a minute, at most ten thousand of them. */
export function rememberSessionRoots(
  store: Store,
  now: () => number = Date.now,
): SessionRoots {
  const known = new Map<number, { root: string | null; until: number }>();
  return {
    async rootOf(sessionId, { isAnew = false } = {}) {
      const entry = known.get(sessionId);
      if (!isAnew && entry !== undefined && entry.until > now()) {
        return entry.root;
      }
      const session = await findSession(await store.db(), sessionId);
      known.delete(sessionId);
      if (session === undefined) return undefined;
      // A Map keeps the order of insertion: the first key is the oldest.
      const oldest = known.keys().next().value;
      if (known.size >= MAX_REMEMBERED && oldest !== undefined) {
        known.delete(oldest);
      }
      const root = session.agentRootKey;
      known.set(sessionId, { root, until: now() + REMEMBER_MS });
      return root;
    },
  };
}
