/**
 * Browsers that ask for Web Push, and the key that they are given.
 *
 * @module
 */
import {
  countSubscriptions,
  dropSubscription,
  findSubscription,
  keepVapidKeys,
  listSubscriptions,
  readVapidKeys,
  saveSubscription,
  type VapidKeys,
} from "../../store/notices/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { badArgument } from "../sessions/texts.ts";
import { makeVapidKeys } from "./web_push.ts";

/** Browsers at most: each notice goes to every one. */
const MAX_BROWSERS = 50;
const MAX_ENDPOINT_CHARACTERS = 2_000;
/** An uncompressed point of P-256, and 16 bytes. */
const P256DH_BYTES = 65;
const AUTH_BYTES = 16;

/** A browser, as its `PushSubscription` says it. */
export interface Browser {
  /** Address of its push service for it alone. */
  readonly endpoint: string;
  /** Its public key, base64url. */
  readonly p256dh: string;
  /** Its authentication secret, base64url. */
  readonly auth: string;
}

/** The key that a browser subscribes with, base64url; made when first asked for. */
export async function pushKey(
  { store }: Pick<Fleet, "store">,
): Promise<string> {
  return (await vapidKeys(store)).publicKey;
}

/** The pair of keys of this program, one for all of its servers. */
export async function vapidKeys(store: Fleet["store"]): Promise<VapidKeys> {
  const db = await store.db();
  return await readVapidKeys(db) ??
    await keepVapidKeys(db, await makeVapidKeys());
}

/**
 * Remembers a browser: every notice from now on is sent to it.
 *
 * @throws {FleetRefusalError} It is no subscription, or there are too many.
 */
export async function subscribe(
  { store }: Pick<Fleet, "store">,
  { endpoint, p256dh, auth }: Browser,
): Promise<number> {
  assertEndpoint(endpoint);
  if (
    bytesOf(p256dh) !== P256DH_BYTES || bytesOf(auth) !== AUTH_BYTES
  ) {
    throw badArgument(
      "keys are those of a PushSubscription: p256dh has 65 bytes and auth 16, both as base64url. Nothing was saved",
    );
  }
  const db = await store.db();
  if (await countSubscriptions(db) >= MAX_BROWSERS) {
    throw new FleetRefusalError(
      "conflict",
      `${MAX_BROWSERS} browsers are subscribed already, the most there may be: unsubscribe one. Nothing was saved`,
    );
  }
  return await saveSubscription(db, { endpoint, p256dh, auth });
}

/** A browser that is told. */
export interface KnownBrowser {
  /** Its number. */
  readonly id: number;
  /** Address of its push service for it alone: a secret. */
  readonly endpoint: string;
  /** When it was subscribed. */
  readonly since: Date;
}

/** All browsers that are told, oldest first. */
export async function listBrowsers(
  { store }: Pick<Fleet, "store">,
): Promise<readonly KnownBrowser[]> {
  return await listSubscriptions(await store.db());
}

/** Forgets a browser by its number. @throws {FleetRefusalError} There is none. */
export async function forgetBrowser(
  { store }: Pick<Fleet, "store">,
  id: number,
): Promise<void> {
  const db = await store.db();
  const browser = Number.isSafeInteger(id)
    ? await findSubscription(db, id)
    : undefined;
  if (
    browser !== undefined && await dropSubscription(db, browser.endpoint)
  ) return;
  throw new FleetRefusalError(
    "not_found",
    `No browser ${id} is told any more. Nothing was changed`,
  );
}

/** Forgets a browser; whether there was one. */
export async function unsubscribe(
  { store }: Pick<Fleet, "store">,
  endpoint: string,
): Promise<boolean> {
  return await dropSubscription(await store.db(), endpoint);
}

/** A push service is on the internet; plain HTTP is for this machine's tests. */
function assertEndpoint(endpoint: string): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isSafe = url?.protocol === "https:" ||
    (url?.protocol === "http:" && url.hostname === "127.0.0.1");
  if (isSafe && endpoint.length <= MAX_ENDPOINT_CHARACTERS) return;
  throw badArgument(
    `endpoint is the https address of a PushSubscription, ${MAX_ENDPOINT_CHARACTERS} characters at most. Nothing was saved`,
  );
}

function bytesOf(text: string): number {
  try {
    return Uint8Array.fromBase64(text.replace(/=+$/, ""), {
      alphabet: "base64url",
    }).length;
  } catch {
    return -1;
  }
}
