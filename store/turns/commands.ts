/**
 * What is to happen to turns under way, and what runners are to do beside them.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";

/** A command of a turn that nobody has answered. */
export interface OpenCommand {
  /** Its number. */
  readonly id: number;
  /** What kind it is. */
  readonly kind: "interrupt" | "stop";
}

/** What a runner is to do. */
export interface RunnerOrder {
  /** Its number. */
  readonly id: number;
  /** What kind it is. */
  readonly kind: string;
  /** What it says. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Open commands of a turn, oldest first. */
export async function listOpenCommands(
  db: Queryable,
  turnId: number,
): Promise<OpenCommand[]> {
  const rows = await db.read<Row>(
    `select id, kind from turn_commands
     where turn_id = $1 and answered_at is null order by id limit 100`,
    [turnId],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    kind: row.kind as OpenCommand["kind"],
  }));
}

/** Answers commands of a turn; those that nobody named with `rest`. */
export async function answerCommands(
  tx: Transaction,
  turnId: number,
  { results, rest }: {
    readonly results: ReadonlyMap<number, string>;
    readonly rest: string;
  },
): Promise<void> {
  for (const [id, result] of results) {
    await tx.write(
      `update turn_commands set answered_at = clock_timestamp(), result = left($3, 500)
       where turn_id = $1 and id = $2 and answered_at is null`,
      [turnId, id, result],
    );
  }
  await tx.write(
    `update turn_commands set answered_at = clock_timestamp(), result = $2
     where turn_id = $1 and answered_at is null`,
    [turnId, rest],
  );
}

/** What a runner has not acknowledged, oldest first. */
export async function listOrders(
  db: Queryable,
  runnerId: number,
): Promise<RunnerOrder[]> {
  const rows = await db.read<Row>(
    `select id, kind, payload from runner_commands
     where runner_id = $1 and acknowledged_at is null order by id limit 20`,
    [runnerId],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    kind: String(row.kind),
    payload: row.payload as Record<string, unknown>,
  }));
}

/**
 * Tells every runner whose token holds to do something; how many. One that has
 * not done it since it was last told is not told twice.
 */
export async function orderRunners(
  db: Queryable,
  kind: "clean_up" | "say_hello",
): Promise<number> {
  const rows = await db.write<Row>(
    `with known as (select id from runners where revoked_at is null),
     told as (insert into runner_commands (runner_id, kind)
       select k.id, $1 from known k where not exists (
         select from runner_commands c where c.runner_id = k.id and c.kind = $1
           and c.acknowledged_at is null))
     select count(*)::int as runners from known`,
    [kind],
  );
  return Number(rows[0]?.runners);
}

/**
 * Orders that trees of archived sessions be removed whose time has come, by the
 * runners that have them; how many. One that failed is ordered again in an hour.
 */
export async function orderTreeRemovals(
  db: Queryable,
  limit: number,
): Promise<number> {
  const rows = await db.write(
    `insert into runner_commands (runner_id, kind, payload)
     select s.home_runner_id, 'remove_tree', jsonb_build_object('session_id', s.id)
     from sessions s join runners r on r.id = s.home_runner_id
     where s.status = 'archived' and s.trash_after <= now()
       and r.revoked_at is null and not exists (select from runner_commands c
         where c.runner_id = r.id and c.kind = 'remove_tree'
           and c.payload = jsonb_build_object('session_id', s.id)
           and c.created_at >= s.archived_at
           and (c.acknowledged_at is null or c.result ->> 'ok' = 'true'
             or c.created_at > now() - interval '1 hour'))
     order by s.trash_after limit $1 returning id`,
    [limit],
  );
  return rows.length;
}

/** A session is back: its tree is not to be removed. It is locked. */
export async function cancelTreeRemoval(
  tx: Transaction,
  sessionId: number,
): Promise<void> {
  await tx.write(
    `delete from runner_commands where kind = 'remove_tree'
     and acknowledged_at is null
     and payload = jsonb_build_object('session_id', $1::bigint)`,
    [sessionId],
  );
}

/** What became of an order. */
export interface DoneOrder {
  /** What kind it was. */
  readonly kind: string;
  /** Which session it was about; null where it was about none. */
  readonly sessionId: number | null;
  /** The runner's own words. */
  readonly detail: string;
}

/** Notes what a runner has done; those that were open until now. */
export async function acknowledgeOrders(
  db: Queryable,
  runnerId: number,
  receipts: readonly {
    readonly id: number;
    readonly result: { readonly ok: boolean; readonly detail: string };
  }[],
): Promise<readonly DoneOrder[]> {
  const done: DoneOrder[] = [];
  for (const { id, result } of receipts) {
    const rows = await db.write<Row>(
      `update runner_commands set acknowledged_at = now(), result = $3::text::jsonb
       where runner_id = $1 and id = $2 and acknowledged_at is null
       returning kind, (payload ->> 'session_id')::bigint as session_id`,
      [runnerId, id, JSON.stringify(result)],
    );
    for (const { kind, session_id } of rows) {
      done.push({
        kind: String(kind),
        sessionId: session_id === null ? null : Number(session_id),
        detail: result.detail,
      });
    }
  }
  return done;
}
