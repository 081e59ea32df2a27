/**
 * `POST /hooks/<secret>`: what other programs tell this one. The address is the
 * credential, so nothing here repeats or logs it.
 *
 * @module
 */
import type { Context } from "hono";
import { MAX_WEBHOOK_BYTES, type Taken, takeWebhook } from "../../fleet/mod.ts";
import { readBytes } from "./body.ts";
import { refuse, refuseError } from "./envelope.ts";
import type { App, Gate, RequestFacts } from "./gate.ts";

const REFUSALS: Readonly<
  Record<
    Exclude<Taken, "accepted">,
    readonly [401 | 404 | 409, string, string]
  >
> = {
  unknown: [404, "not_found", "No webhook has this address"],
  unsigned: [
    401,
    "bad_signature",
    "This webhook takes signed bodies only: X-Hub-Signature-256 has to be sha256= and the HMAC-SHA256 of the body, hexadecimal, by the key that was shown when the webhook was made. Nothing fired",
  ],
  off: [
    409,
    "trigger_off",
    "The trigger of this webhook is off, or parked by a failure: nothing fired",
  ],
};

/** Mounts it. */
export function mountHooks(app: App, gate: Gate): void {
  app.post("/hooks/:secret", async (c) => {
    try {
      return await take(c, gate);
    } catch (error) {
      return refuseError(c, error, gate.services.log);
    }
  });
}

async function take(
  c: Context<RequestFacts>,
  { services, bodyLimitMs }: Gate,
): Promise<Response> {
  const reading = await readBytes(c.req.raw, {
    bytes: MAX_WEBHOOK_BYTES,
    ms: bodyLimitMs,
  });
  if (reading.kind !== "bytes") {
    return reading.kind === "too_large"
      ? refuse(
        c,
        413,
        "body_too_large",
        `A webhook takes ${MAX_WEBHOOK_BYTES / 1024} KB at most. Nothing fired`,
      )
      : reading.kind === "too_slow"
      ? refuse(c, 408, "body_too_slow", "The body did not arrive in time")
      : refuse(c, 400, "body_unreadable", "The body ended early");
  }
  const header = (name: string) => c.req.header(name);
  const taken = await takeWebhook(services, {
    secret: c.req.param("secret") ?? "",
    body: reading.bytes,
    signature: header("x-hub-signature-256"),
    deliveryId: header("idempotency-key") ?? header("webhook-id") ??
      header("x-github-delivery"),
    event: header("x-github-event"),
  });
  if (taken === "accepted") return c.json({ accepted: true }, 202);
  return refuse(c, ...REFUSALS[taken]);
}
