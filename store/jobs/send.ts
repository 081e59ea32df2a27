/**
 * Jobs are sent in the transaction that causes them: it commits with both or
 * with neither.
 *
 * @module
 */
import type { Transaction } from "../pg/db.ts";

/** Queues of jobs, apart so that a slow one holds up no other. */
export type Lane =
  | "triggers"
  | "pollers"
  | "inference"
  | "maintenance"
  | "default";

/** All lanes. */
export const LANES: readonly Lane[] = [
  "triggers",
  "pollers",
  "inference",
  "maintenance",
  "default",
];

/** A job: its kind says who does it, the rest is what it needs to know. */
export interface Job {
  /** What is to be done. */
  readonly kind: string;
  /** What whoever does it needs to know. */
  readonly [name: string]: unknown;
}

/** When a job may be done; at once where nothing is said. */
export type JobTime =
  /** In so many seconds, by the database's clock. */
  | { readonly inSeconds: number }
  /** At that time. */
  | { readonly at: Date };

/** Sends a job. */
export async function sendJob(
  tx: Transaction,
  lane: Lane,
  job: Job,
  time: JobTime = { inSeconds: 0 },
): Promise<void> {
  await tx.write(
    `select send_job($1, $2::text::jsonb,
       coalesce($3::timestamptz, now()) + $4::float8 * interval '1 second')`,
    [
      lane,
      JSON.stringify(job),
      "at" in time ? time.at : null,
      "at" in time ? 0 : time.inSeconds,
    ],
  );
}
