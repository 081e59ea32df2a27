/**
 * Who may call: API keys, and session tokens that prove a session.
 *
 * A key carries no identity. A session token does: a connection that presents
 * one is that session.
 * Specification: docs/spec/mcp_endpoint.md section 2; docs/design.md section 4.
 *
 * @module
 */
import { timingSafeEqual } from "node:crypto";
import { digestOf } from "../caller/caller_digest.ts";
import type { Caller } from "../caller/connection.ts";
import {
  findSessionByToken,
  isSessionToken,
} from "../../store/sessions/mod.ts";
import { findSessionByTurnToken, isTurnToken } from "../../store/turns/mod.ts";
import { TURN_TOKEN_GROUPS } from "../../fleet/mod.ts";
import type { Store } from "../../store/mod.ts";

/** Checks a credential; undefined when it is none. */
export type Authenticate = (credential: string) => Promise<Caller | undefined>;

const encoder = new TextEncoder();

/** Builds the check. Without keys, only session tokens get in. */
export function createAuthenticate(
  keys: readonly string[],
  store: Store,
): Authenticate {
  const known = keys.map((key) => encoder.encode(digestOf(key)));
  return async (credential) => {
    if (isSessionToken(credential)) {
      const session = await findSessionByToken(await store.db(), credential);
      return session === undefined ? undefined : { kind: "session", session };
    }
    if (isTurnToken(credential)) {
      const proven = await findSessionByTurnToken(
        await store.db(),
        credential,
      );
      if (proven === undefined) return undefined;
      const { session, turnId, hasCalledMcp } = proven;
      return {
        kind: "session",
        session: {
          ...session,
          toolGroups: session.toolGroups ?? TURN_TOKEN_GROUPS,
        },
        ...(hasCalledMcp ? {} : { unheardTurn: turnId }),
      };
    }
    const digest = digestOf(credential);
    const bytes = encoder.encode(digest);
    // Digests have one length, and every key is compared: the time taken says
    // nothing about which key came close.
    let isKnown = false;
    for (const one of known) {
      if (timingSafeEqual(bytes, one)) isKnown = true;
    }
    return isKnown ? { kind: "key", digest } : undefined;
  };
}

/** `X-API-Key`, or where that is absent or blank, the Bearer credential. */
export function credentialOf(headers: Headers): string | undefined {
  const key = headers.get("x-api-key")?.trim();
  if (key !== undefined && key !== "") return key;
  const bearer = /^bearer\s+(.+)$/i.exec(
    headers.get("authorization")?.trim() ?? "",
  );
  return bearer?.[1]?.trim();
}
