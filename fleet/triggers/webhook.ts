/**
 * What is posted to a webhook: checked, turned into what a template can name,
 * and handed to the clock. The sender waits for none of it.
 *
 * @module
 */
import { sendJob } from "../../store/jobs/mod.ts";
import { findWebhook } from "../../store/triggers/mod.ts";
import type { Fleet } from "../fleet.ts";
import { storable, type Variables } from "./template.ts";
import { secretHash } from "./webhook_secret.ts";

/** Most bytes of a body. */
export const MAX_WEBHOOK_BYTES = 64 * 1024;

/** Something that was posted. */
export interface Posted {
  /** The end of the address. */
  readonly secret: string;
  /** The body, as it came. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** `X-Hub-Signature-256`: `sha256=` and a hexadecimal HMAC of the body. */
  readonly signature?: string | undefined;
  /** The sender's name of this delivery: the same one fires once. */
  readonly deliveryId?: string | undefined;
  /** The sender's name of what happened. */
  readonly event?: string | undefined;
}

/** What became of it. */
export type Taken =
  /** It fires as soon as a server's clock comes to it. */
  | "accepted"
  /** No webhook has this address. */
  | "unknown"
  /** It is not signed with the webhook's key. */
  | "unsigned"
  /** Its trigger is off or parked: nothing fires. */
  | "off";

/** Takes a post. */
export async function takeWebhook(
  { store }: Pick<Fleet, "store">,
  { secret, body, signature, deliveryId, event }: Posted,
): Promise<Taken> {
  const db = await store.db();
  const webhook = await findWebhook(db, await secretHash(secret));
  if (webhook === undefined) return "unknown";
  const { signingKey, triggerId, conditionId } = webhook;
  if (
    signingKey !== null && !await isSigned(signingKey, body, signature ?? "")
  ) return "unsigned";
  if (webhook.status !== "enabled") return "off";
  const text = storable(new TextDecoder().decode(body));
  await db.transaction((tx) =>
    sendJob(tx, "triggers", {
      kind: "fire_condition",
      trigger_id: triggerId,
      condition_id: conditionId,
      occurrence: (deliveryId === undefined
        ? crypto.randomUUID()
        : `delivery:${storable(deliveryId)}`).slice(0, 300),
      variables: webhookVariables(text, event && storable(event)),
      because: "its webhook was called",
    })
  );
  return "accepted";
}

const SIGNATURE_REGEXP = /^sha256=([0-9a-f]{64})$/i;

async function isSigned(
  key: string,
  body: Uint8Array<ArrayBuffer>,
  signature: string,
): Promise<boolean> {
  const hex = SIGNATURE_REGEXP.exec(signature.trim())?.[1];
  if (hex === undefined) return false;
  const imported = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(key),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const expected = Uint8Array.fromHex(hex);
  return await crypto.subtle.verify("HMAC", imported, expected, body);
}

/** How deep, and how much of a body has names. */
const MAX_DEPTH = 8;
const MAX_NAMES = 500;

/**
 * The names that a template can use of a body: `body.a.b` of JSON and of forms,
 * an object or list as JSON; and `text`, which is the body's own or all of it.
 */
export function webhookVariables(
  text: string,
  event: string | undefined,
): Variables {
  const value = parseBody(text);
  const found: Record<string, string> = { body: text };
  collect(found, "body", value, 0);
  const own = (...names: string[]) =>
    names.map((name) => found[`body.${name}`]).find((one) =>
      one !== undefined
    ) ?? "";
  return {
    ...found,
    event: event ?? "webhook",
    text: found["body.text"] ?? text,
    title: own("title", "name"),
    link: own("link", "url", "html_url"),
    author: own("author", "sender.login", "user.login"),
    repo: own("repository.full_name", "repo"),
  };
}

/** JSON, else a form, else nothing that has names. */
function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return /^[^\s=&]+=[^\s]*$/.test(text)
      ? Object.fromEntries(new URLSearchParams(text))
      : undefined;
  }
}

function collect(
  found: Record<string, string>,
  name: string,
  value: unknown,
  depth: number,
): void {
  if (Object.keys(found).length >= MAX_NAMES || depth > MAX_DEPTH) return;
  if (depth > 0) {
    found[name] = typeof value === "string"
      ? storable(value)
      : value === null || value === undefined
      ? ""
      : JSON.stringify(value);
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    collect(found, `${name}.${storable(key)}`, item, depth + 1);
  }
}
