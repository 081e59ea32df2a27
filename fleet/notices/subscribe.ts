/**
 * Browsers that ask for Web Push, and the key that they are given.
 *
 * @module
 */
import {
  countSubscriptions,
  dropSubscription,
  keepVapidKeys,
  type ListedSubscription,
  listSubscriptions,
  readVapidKeys,
  saveSubscription,
  type VapidKeys,
} from "../../store/notices/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { badArgument } from "../sessions/texts.ts";
import { endOfStrangers } from "./owners.ts";
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
 * Remembers a browser: every notice from now on is sent to it, as long as its
 * owner is known. Null owns what an API key subscribes.
 *
 * @throws {FleetRefusalError} It is no subscription, or there are too many.
 */
export async function subscribe(
  fleet: Pick<Fleet, "store" | "people">,
  { endpoint, p256dh, auth }: Browser,
  owner: string | null,
): Promise<number> {
  assertEndpoint(endpoint);
  if (
    bytesOf(p256dh) !== P256DH_BYTES || bytesOf(auth) !== AUTH_BYTES
  ) {
    throw badArgument(
      "keys are those of a PushSubscription: p256dh has 65 bytes and auth 16, both as base64url. Nothing was saved",
    );
  }
  await endOfStrangers(fleet);
  const db = await fleet.store.db();
  if (await countSubscriptions(db) >= MAX_BROWSERS) {
    throw new FleetRefusalError(
      "conflict",
      `${MAX_BROWSERS} browsers are subscribed already, the most there may be: unsubscribe one. Nothing was saved`,
    );
  }
  return await saveSubscription(db, { endpoint, p256dh, auth, owner });
}

/**
 * The browsers that are told and that a person may end, oldest first: their own,
 * and those of nobody. Null is an operator, who may end all of them.
 */
export async function listBrowsers(
  fleet: Pick<Fleet, "store" | "people">,
  by: string | null,
): Promise<readonly ListedSubscription[]> {
  await endOfStrangers(fleet);
  const all = await listSubscriptions(await fleet.store.db());
  return all.filter(({ owner }) =>
    by === null || owner === null || owner === by
  );
}

/**
 * Forgets a browser by its number.
 *
 * @throws {FleetRefusalError} There is none, or it is not theirs to end.
 */
export async function forgetBrowser(
  fleet: Pick<Fleet, "store" | "people">,
  id: number,
  by: string | null,
): Promise<void> {
  if (await forget(fleet, by, (one) => one.id === id)) return;
  throw new FleetRefusalError(
    "not_found",
    `No browser ${id} of yours is told any more. Nothing was changed`,
  );
}

/** Forgets a browser by its endpoint; whether there was one that is theirs to end. */
export async function unsubscribe(
  fleet: Pick<Fleet, "store" | "people">,
  endpoint: string,
  by: string | null,
): Promise<boolean> {
  return await forget(fleet, by, (one) => one.endpoint === endpoint);
}

async function forget(
  fleet: Pick<Fleet, "store" | "people">,
  by: string | null,
  isMeant: (one: ListedSubscription) => boolean,
): Promise<boolean> {
  const browser = (await listBrowsers(fleet, by)).find(isMeant);
  return browser !== undefined &&
    await dropSubscription(await fleet.store.db(), browser.id);
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
