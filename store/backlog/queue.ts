/**
 * The queue, read and changed under its lock: whoever changes it holds the
 * lock of {@link lockQueue}, so that two never reckon with the same places.
 *
 * @module
 */
import type { Row, Transaction } from "../pg/db.ts";
import { LOCK_KEYS } from "../pg/locks.ts";
import {
  type AddedVia,
  type BacklogItem,
  type Cost,
  ITEM_COLUMNS,
  RANK,
  type ScopeDirection,
  toItem,
} from "./item.ts";

/** Waits until nobody else changes the queue, until the transaction ends. */
export async function lockQueue(tx: Transaction): Promise<void> {
  await tx.write("select pg_advisory_xact_lock($1)", [LOCK_KEYS.backlog]);
}

/** An item to add; whoever adds it has checked it. */
export interface NewItem {
  /** Its name. */
  readonly key: string;
  /** The issue. */
  readonly issueUrl: string | null;
  /** `owner/name`. */
  readonly repo: string;
  /** What its gate rated. */
  readonly surface: string;
  /** The issue's title. */
  readonly title: string;
  /** What kind of work it is. */
  readonly kind: string;
  /** Whether it closes or opens. */
  readonly scopeDirection: ScopeDirection;
  /** How much work it is thought to be. */
  readonly estimatedCost: Cost;
  /** What the gate said. */
  readonly gateVerdict: string | null;
  /** When, `YYYY-MM-DD`; null is today. */
  readonly decidedAt: string | null;
  /** Who adds it. */
  readonly addedBy: string;
  /** The way on which it comes in. */
  readonly addedVia: AddedVia;
  /** Its place. */
  readonly precedence: number;
  /** The session that adds it. */
  readonly writingSessionId: number | null;
  /** What else is said of it. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Adds an item. */
export async function insertItem(
  tx: Transaction,
  item: NewItem,
): Promise<BacklogItem> {
  const [row] = await tx.write<Row>(
    `insert into work_backlog_items as i (key, issue_url, repo, surface, title,
       kind, scope_direction, estimated_cost, gate_verdict, decided_at, added_by,
       added_via, precedence, writing_session_id, payload)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9,
       coalesce($10::text::date, (now() at time zone 'utc')::date), $11, $12, $13,
       (select id from sessions where id = $14::text::bigint), $15::text::jsonb)
     returning ${ITEM_COLUMNS}`,
    [
      item.key,
      item.issueUrl,
      item.repo,
      item.surface,
      item.title,
      item.kind,
      item.scopeDirection,
      item.estimatedCost,
      item.gateVerdict,
      item.decidedAt,
      item.addedBy,
      item.addedVia,
      item.precedence,
      item.writingSessionId === null ? null : String(item.writingSessionId),
      JSON.stringify(item.payload),
    ],
  );
  return toItem(row as Row);
}

/** Queued items of some names, in the order of the queue. */
export async function queuedItems(
  tx: Transaction,
  keys: readonly string[],
): Promise<BacklogItem[]> {
  const rows = await tx.read<Row>(
    `select ${ITEM_COLUMNS} from work_backlog_items i
     where i.status = 'queued'
       and i.key in (select jsonb_array_elements_text($1::text::jsonb))
     order by ${RANK}`,
    [JSON.stringify(keys)],
  );
  return rows.map(toItem);
}

/** The first items of the queue. */
export async function firstItems(
  tx: Transaction,
  count: number,
): Promise<BacklogItem[]> {
  const rows = await tx.read<Row>(
    `select ${ITEM_COLUMNS} from work_backlog_items i
     where i.status = 'queued' order by ${RANK} limit $1`,
    [count],
  );
  return rows.map(toItem);
}

/** Places around an item of the queue. */
export interface Surroundings {
  /** Of the item before it; undefined where it is the first. */
  readonly above: number | undefined;
  /** Its own. */
  readonly own: number;
  /** Of the item behind it; undefined where it is the last. */
  readonly below: number | undefined;
}

/** Reads them as if another item were not there; undefined where it is not in line. */
export async function placesAround(
  tx: Transaction,
  id: number,
  without: number,
): Promise<Surroundings | undefined> {
  const [row] = await tx.read<
    { above: number | null; own: number; below: number | null }
  >(
    `select above, own, below from (
       select i.id, i.precedence as own,
         lag(i.precedence) over (order by ${RANK}) as above,
         lead(i.precedence) over (order by ${RANK}) as below
       from work_backlog_items i where i.status = 'queued' and i.id <> $2
     ) as line where id = $1`,
    [id, without],
  );
  return row === undefined ? undefined : {
    above: row.above ?? undefined,
    own: row.own,
    below: row.below ?? undefined,
  };
}

/** An item by its number; undefined where there is none. */
export async function itemById(
  tx: Transaction,
  id: number,
): Promise<BacklogItem | undefined> {
  const [row] = await tx.read<Row>(
    `select ${ITEM_COLUMNS} from work_backlog_items i where i.id = $1`,
    [id],
  );
  return row === undefined ? undefined : toItem(row);
}

/** A place in line. */
export interface Slot {
  /** The item. */
  readonly id: number;
  /** Its place. */
  readonly precedence: number;
}

/** Queued, unpinned items of a cost whose places lie in a range, in order. */
export async function unpinnedSlots(
  tx: Transaction,
  cost: Cost,
  [floor, ceiling]: readonly [number, number],
): Promise<Slot[]> {
  const rows = await tx.read<Row>(
    `select i.id, i.precedence from work_backlog_items i
     where i.status = 'queued' and not i.pinned and i.estimated_cost = $1
       and i.precedence between $2 and $3
     order by ${RANK}`,
    [cost, floor, ceiling],
  );
  return rows.map(({ id, precedence }) => ({
    id: Number(id),
    precedence: Number(precedence),
  }));
}

/** Moves unpinned items; one that is pinned stays where it is. */
export async function moveItems(
  tx: Transaction,
  slots: readonly Slot[],
): Promise<void> {
  if (slots.length === 0) return;
  await tx.write(
    `update work_backlog_items i set precedence = s.precedence, updated_at = now()
     from jsonb_to_recordset($1::text::jsonb) as s (id bigint, precedence integer)
     where i.id = s.id and not i.pinned`,
    [JSON.stringify(slots)],
  );
}

/** Puts an item where a person wants it, or lets go of it. */
export async function putItem(
  tx: Transaction,
  { id, precedence }: Slot,
  pinned: boolean,
): Promise<BacklogItem> {
  return await changed(
    tx,
    `precedence = $2, pinned = $3`,
    [id, precedence, pinned],
  );
}

/** Notes that an item became a session. */
export async function markStarted(
  tx: Transaction,
  id: number,
  by: {
    /** The session that it became. */
    readonly sessionId: number;
    /** The session that started it. */
    readonly startedBy: number | null;
  },
): Promise<BacklogItem> {
  return await changed(
    tx,
    `status = 'started', started_at = clock_timestamp(),
     started_session_id = $2, started_by_session_id = $3`,
    [id, by.sessionId, by.startedBy],
  );
}

/** Notes that an item was taken off. */
export async function markRemoved(
  tx: Transaction,
  id: number,
  { reason, by }: {
    /** Why. */
    readonly reason: string;
    /** By whom. */
    readonly by: string;
  },
): Promise<BacklogItem> {
  return await changed(
    tx,
    `status = 'removed', removed_at = clock_timestamp(),
     removal_reason = $2, removed_by = $3`,
    [id, reason, by],
  );
}

async function changed(
  tx: Transaction,
  assignments: string,
  params: readonly unknown[],
): Promise<BacklogItem> {
  const [row] = await tx.write<Row>(
    `update work_backlog_items i set ${assignments}, updated_at = now()
     where i.id = $1 and i.status = 'queued' returning ${ITEM_COLUMNS}`,
    params,
  );
  return toItem(row as Row);
}
