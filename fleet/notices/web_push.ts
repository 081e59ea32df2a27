/**
 * Web Push: keys, and messages encrypted for one browser (RFC 8291, 8292).
 *
 * @module
 */
import type { PushSubscription, VapidKeys } from "../../store/notices/mod.ts";

/** What of the package is used; it comes without types. */
interface WebPush {
  generateVAPIDKeys(): VapidKeys;
  generateRequestDetails(
    subscription: {
      readonly endpoint: string;
      readonly keys: { readonly p256dh: string; readonly auth: string };
    },
    payload: string,
    options: {
      readonly TTL: number;
      readonly vapidDetails: VapidKeys & { readonly subject: string };
    },
  ): {
    readonly endpoint: string;
    readonly headers: Record<string, string | number>;
    readonly body: Uint8Array<ArrayBuffer>;
  };
}

/** Seconds for which a push service keeps a message for a browser that is off. */
const TTL_SECONDS = 86_400;
/** Whom a push service would write to; it takes no address on a local machine. */
const SUBJECT = "mailto:rootcellar@example.com";

let loading: Promise<WebPush> | undefined;

async function load(): Promise<WebPush> {
  const { default: library } = await (import("web-push") as Promise<
    { readonly default: WebPush }
  >);
  return library;
}

/** A new pair of keys. */
export async function makeVapidKeys(): Promise<VapidKeys> {
  return (await (loading ??= load())).generateVAPIDKeys();
}

/** The request that brings a text to a browser. */
export async function pushRequest(
  { endpoint, p256dh, auth }: PushSubscription,
  text: string,
  keys: VapidKeys,
): Promise<Request> {
  const details = (await (loading ??= load())).generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    text,
    { TTL: TTL_SECONDS, vapidDetails: { ...keys, subject: SUBJECT } },
  );
  const headers = new Headers();
  for (const [name, value] of Object.entries(details.headers)) {
    if (name.toLowerCase() !== "content-length") {
      headers.set(name, String(value));
    }
  }
  return new Request(details.endpoint, {
    method: "POST",
    headers,
    body: new Uint8Array(details.body),
  });
}
