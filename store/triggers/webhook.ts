/**
 * Webhooks, found by the hash of their secret.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import type { TriggerStatus } from "./trigger.ts";

/** A webhook. */
export interface Webhook {
  /** Its condition. */
  readonly conditionId: number;
  /** Its trigger. */
  readonly triggerId: number;
  /** How that stands. */
  readonly status: TriggerStatus;
  /** With what its senders sign; null where they need not. */
  readonly signingKey: string | null;
}

/** Finds a webhook; undefined where no condition has that secret. */
export async function findWebhook(
  db: Queryable,
  secretHash: Uint8Array,
): Promise<Webhook | undefined> {
  const [row] = await db.read<Row>(
    `select c.id, c.trigger_id, t.status, c.signing_key
     from trigger_conditions c join triggers t on t.id = c.trigger_id
     where c.webhook_hash = decode($1, 'hex')`,
    [secretHash.toHex()],
  );
  return row === undefined ? undefined : {
    conditionId: Number(row.id),
    triggerId: Number(row.trigger_id),
    status: row.status as TriggerStatus,
    signingKey: row.signing_key as string | null,
  };
}
