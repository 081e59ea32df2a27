/**
 * Readings of what turns reported into the ledger: one at a time, on from where
 * the last step of it ended.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";

/** A reading. */
export interface Backfill {
  /** Its number. */
  readonly id: number;
  /** The last turn that was read. */
  readonly turnId: number;
  /** Turns that were read. */
  readonly turnsRead: number;
  /** Requests that the ledger did not have. */
  readonly requestsAdded: number;
}

const COLUMNS = "id, turn_id, turns_read, requests_added";

function toBackfill(row: Row): Backfill {
  return {
    id: Number(row.id),
    turnId: Number(row.turn_id),
    turnsRead: Number(row.turns_read),
    requestsAdded: Number(row.requests_added),
  };
}

/** Begins one, or joins the one that is under way. */
export async function askForBackfill(
  tx: Transaction,
): Promise<{ readonly backfill: Backfill; readonly isNew: boolean }> {
  const [made] = await tx.write<Row>(
    `insert into token_usage_backfills default values on conflict do nothing returning ${COLUMNS}`,
  );
  if (made !== undefined) return { backfill: toBackfill(made), isNew: true };
  const backfill = await lockBackfill(tx);
  // It ended in between: the next one is new.
  return backfill === undefined
    ? await askForBackfill(tx)
    : { backfill, isNew: false };
}

/** The one that is under way, locked; undefined where there is none. */
export async function lockBackfill(
  tx: Transaction,
): Promise<Backfill | undefined> {
  const [row] = await tx.write<Row>(
    `select ${COLUMNS} from token_usage_backfills where finished_at is null for update`,
  );
  return row === undefined ? undefined : toBackfill(row);
}

/** Notes how far it came. */
export async function noteBackfill(
  tx: Transaction,
  { id, turnId, turnsRead, requestsAdded }: Backfill,
  isFinished: boolean,
): Promise<void> {
  await tx.write(
    `update token_usage_backfills set turn_id = $2, turns_read = $3, requests_added = $4,
       finished_at = case when $5 then clock_timestamp() end where id = $1`,
    [id, turnId, turnsRead, requestsAdded, isFinished],
  );
}

/** What turns reported at their ends, behind a turn, in their order. */
export async function readUsageReports(
  db: Queryable,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<
  readonly {
    readonly turnId: number;
    readonly leaseNo: number | null;
    readonly sessionId: number;
    readonly agentRoot: string | null;
    readonly endedAt: Date;
    readonly usage: readonly unknown[];
  }[]
> {
  const rows = await db.read<Row>(
    `select t.id, t.lease_no, t.session_id, s.agent_root_key, t.ended_at,
       case when jsonb_typeof(t.receipt -> 'usage') = 'array' then t.receipt -> 'usage' else '[]' end as usage
     from turns t join sessions s on s.id = t.session_id
     where t.id > $1 and t.phase = 'ended' order by t.id limit $2`,
    [after, limit],
  );
  return rows.map((row) => ({
    turnId: Number(row.id),
    leaseNo: row.lease_no === null ? null : Number(row.lease_no),
    sessionId: Number(row.session_id),
    agentRoot: row.agent_root_key as string | null,
    endedAt: row.ended_at as Date,
    usage: row.usage as readonly unknown[],
  }));
}
