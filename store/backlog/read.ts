/**
 * The backlog as it is looked at: items of a filter, each with its place in
 * the whole queue, and how many there are of what.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import { parameters } from "../root_data/statement.ts";
import {
  type BacklogItem,
  type Cost,
  ITEM_COLUMNS,
  type ItemStatus,
  RANK,
  type ScopeDirection,
  toItem,
} from "./item.ts";

/** What an item may be asked for by: what became of it, and of its session. */
export type ItemState = ItemStatus | "in_flight" | "parked" | "ended" | "all";

/** All of them. */
export const ITEM_STATES: readonly ItemState[] = [
  "queued",
  "started",
  "removed",
  "in_flight",
  "parked",
  "ended",
  "all",
];

/** Which items to list. */
export interface ItemFilter {
  /** What became of them. @default {"queued"} */
  readonly state?: ItemState | undefined;
  /** What was rated. */
  readonly surface?: string | undefined;
  /** `owner/name`. */
  readonly repo?: string | undefined;
  /** Whether it closes or opens. */
  readonly scopeDirection?: ScopeDirection | undefined;
  /** What kind of work. */
  readonly kind?: string | undefined;
  /** How much work. */
  readonly estimatedCost?: Cost | undefined;
  /** Whether a person put it there. */
  readonly pinned?: boolean | undefined;
  /** Its name. */
  readonly key?: string | undefined;
  /** Who added it. */
  readonly addedBy?: string | undefined;
  /** This one. */
  readonly id?: number | undefined;
  /** Items at most. */
  readonly limit: number;
  /** Items to skip. */
  readonly offset: number;
}

/** An item and its place in the whole queue, from 1; null where it has none. */
export interface RankedItem {
  /** The item. */
  readonly item: BacklogItem;
  /** Its place. */
  readonly position: number | null;
}

/** A page of items. */
export interface ItemPage {
  /** The items. */
  readonly items: readonly RankedItem[];
  /** How many match, on all pages. */
  readonly total: number;
}

/** Conditions of states; `s` is the session that an item became. */
const STATES: Readonly<Record<ItemState, string>> = {
  queued: "i.status = 'queued'",
  started: "i.status = 'started'",
  removed: "i.status = 'removed'",
  // A session that goes on without anybody's help.
  in_flight: "i.status = 'started' and s.status in ('running', 'waiting')",
  parked: "i.status = 'started' and s.status = 'needs_input'",
  ended:
    "i.status = 'started' and (s.id is null or s.status in ('archived', 'failed'))",
  all: "true",
};

/**
 * Lists items: the queue in its order, then started and removed ones, newest
 * first.
 */
export async function listItems(
  db: Queryable,
  filter: ItemFilter,
): Promise<ItemPage> {
  const { params, bind } = parameters();
  const equal: readonly (readonly [string, unknown, string])[] = [
    ["i.surface", filter.surface, "text"],
    ["i.repo", filter.repo, "text"],
    ["i.scope_direction", filter.scopeDirection, "text"],
    ["i.kind", filter.kind, "text"],
    ["i.estimated_cost", filter.estimatedCost, "text"],
    ["i.pinned", filter.pinned, "boolean"],
    ["i.key", filter.key, "text"],
    ["i.added_by", filter.addedBy, "text"],
    ["i.id", filter.id, "bigint"],
  ];
  const where = [
    STATES[filter.state ?? "queued"],
    ...equal.filter(([, value]) => value !== undefined)
      .map(([column, value, type]) => `${column} = ${bind(value, type)}`),
  ].join(" and ");
  const from = `work_backlog_items i
    left join sessions s on s.id = i.started_session_id where ${where}`;
  const order =
    `(i.status = 'queued') desc, case when i.status = 'queued' then i.precedence end desc nulls last,
    case when i.status = 'queued' then i.added_at end, case when i.status = 'queued' then i.id end,
    coalesce(i.started_at, i.removed_at) desc, i.id desc`;
  const rows = await db.read<Row>(
    `with ranks as (
       select i.id, row_number() over (order by ${RANK}) as position
       from work_backlog_items i where i.status = 'queued'),
     total as (select count(*)::int as total from ${from}),
     page as (select ${ITEM_COLUMNS}, row_number() over (order by ${order}) as line
       from ${from} order by line limit ${bind(filter.limit, "int")} offset ${
      bind(filter.offset, "int")
    })
     select total.total, page.*, ranks.position from total
     left join page on true left join ranks on ranks.id = page.id
     order by page.line`,
    params,
  );
  return {
    total: Number(rows[0]?.total ?? 0),
    items: rows.filter(({ id }) => id !== null).map((row) => ({
      item: toItem(row),
      position: row.position === null ? null : Number(row.position),
    })),
  };
}

/** How many items there are of what. */
export interface ItemCounts {
  /** In line. */
  readonly queued: number;
  /** Of these, put there by a person. */
  readonly pinned: number;
  /** Became sessions. */
  readonly started: number;
  /** Of these, sessions that an agent goes on with. */
  readonly inFlight: number;
  /** Of these, sessions that wait for a person. */
  readonly parked: number;
  /** Taken off. */
  readonly removed: number;
}

/** Counts the backlog. */
export async function countItems(db: Queryable): Promise<ItemCounts> {
  const [row] = await db.read<Row>(
    `select count(*) filter (where i.status = 'queued') as queued,
       count(*) filter (where i.status = 'queued' and i.pinned) as pinned,
       count(*) filter (where i.status = 'started') as started,
       count(*) filter (where ${STATES.in_flight}) as in_flight,
       count(*) filter (where ${STATES.parked}) as parked,
       count(*) filter (where i.status = 'removed') as removed
     from work_backlog_items i left join sessions s on s.id = i.started_session_id`,
  );
  return {
    queued: Number(row?.queued ?? 0),
    pinned: Number(row?.pinned ?? 0),
    started: Number(row?.started ?? 0),
    inFlight: Number(row?.in_flight ?? 0),
    parked: Number(row?.parked ?? 0),
    removed: Number(row?.removed ?? 0),
  };
}
