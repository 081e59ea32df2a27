/**
 * Who sends a request. With keys, one of them has to be presented; without,
 * any credential or an actor's name will do, as on a machine of one's own.
 *
 * @module
 */
import { timingSafeEqual } from "node:crypto";
import { parseActor } from "../layout/scope.ts";
import { invalid, WireError } from "./wire_error.ts";

/** Actor of a request that names none. */
const LOCAL_ACTOR = "user:local";
const MAX_ACTOR_CHARACTERS = 256;

/** The actor of a request. @throws {WireError} 401 or 422. */
export async function actorOf(
  headers: Headers,
  keyHashes: readonly Uint8Array[],
): Promise<string> {
  const token = /^bearer\s+(\S+)$/i.exec(headers.get("authorization") ?? "")
    ?.[1];
  const actor = headers.get("x-cortex-actor")?.trim() || undefined;
  if (!await isAdmitted(token, actor, keyHashes)) {
    throw new WireError(
      401,
      "UNAUTHORIZED",
      keyHashes.length > 0
        ? "A valid key is required: Authorization: Bearer KEY"
        : "Authorization: Bearer or X-Cortex-Actor is required",
    );
  }
  if (actor === undefined) return LOCAL_ACTOR;
  if (actor.length > MAX_ACTOR_CHARACTERS || !/^[\x20-\x7e]+$/.test(actor)) {
    throw invalid("X-Cortex-Actor must be type:id in ASCII", "INVALID_ACTOR");
  }
  return parseActor(actor);
}

/** Digests of keys, all of one length, for {@link actorOf}. */
export async function hashKeys(
  keys: readonly string[],
): Promise<readonly Uint8Array[]> {
  return await Promise.all(keys.map(hashOf));
}

async function isAdmitted(
  token: string | undefined,
  actor: string | undefined,
  keyHashes: readonly Uint8Array[],
): Promise<boolean> {
  if (keyHashes.length === 0) return token !== undefined || actor !== undefined;
  if (token === undefined) return false;
  const hash = await hashOf(token);
  // Every key is compared, so the time taken tells nothing about any.
  return keyHashes.filter((one) => timingSafeEqual(one, hash)).length > 0;
}

async function hashOf(text: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}
