/**
 * Health figures of root data: read from the counters and one indexed count,
 * never from the records themselves.
 * Specification: docs/spec/root_data.md section 8.
 *
 * @module
 */
import type { Db, Queryable, Row } from "../pg/db.ts";
import { StoreUnavailableError } from "../errors.ts";
import { MAX_RECORDS_PER_COLLECTION } from "./limits.ts";

/** Age past expiry at which records show that the sweep is behind. */
export const OVERDUE_HOURS = 2;
/** Share of the row cap at which a collection is near it. */
export const NEAR_CAP_SHARE = 0.9;
/** Namespaces that the report lists; the totals cover all. */
const MAX_NAMESPACES = 1_000;
/** Overdue records are counted up to this many. */
const MAX_OVERDUE = 100_000;
/** How long the nodes of a distributed database are asked for. */
const NODES_LIMIT_MS = 2_000;

/** `root_data_health`, with the field names of the wire. */
export type RootDataHealth =
  | {
    readonly status: "ok" | "warning";
    /** Why it is a warning, one sentence each. */
    readonly reasons: readonly string[];
    readonly totals: {
      readonly namespaces: number;
      readonly collections: number;
      readonly records: number;
      readonly bytes: number;
    };
    readonly namespaces: readonly {
      readonly namespace: string;
      readonly collections: number;
      readonly records: number;
      readonly bytes: number;
      readonly last_write_at: string | null;
    }[];
    /** Namespaces that the list leaves out. */
    readonly namespaces_omitted: number;
    readonly overdue: {
      readonly records: number;
      /** Whether there are more than were counted. */
      readonly is_floor: boolean;
      readonly oldest_expires_at: string | null;
      readonly threshold_hours: number;
    };
    readonly near_cap: readonly {
      readonly namespace: string;
      readonly collection: string;
      readonly records: number;
      readonly limit: number;
      readonly pct: number;
    }[];
    /** When a sweep last recounted a counter, as each sweep does. */
    readonly last_recount_at: string | null;
  }
  | {
    readonly status: "unavailable";
    /**
     * Class of the failure, and the nodes of a distributed database that do not
     * answer; its text stays in the log.
     */
    readonly error: string;
  };

/** The statements behind the report, exported so that plans can be asserted. */
export const HEALTH_STATEMENTS = {
  namespaces: `
    select namespace, count(*)::int as collections, sum(records_count) as records,
      sum(data_bytes) as bytes, max(last_write_at) as last_write_at
    from agent_root_record_counters where records_count > 0
    group by namespace order by sum(data_bytes) desc, namespace limit $1`,
  totals: `
    select count(distinct namespace) filter (where records_count > 0)::int as namespaces,
      count(*) filter (where records_count > 0)::int as collections,
      coalesce(sum(records_count), 0) as records, coalesce(sum(data_bytes), 0) as bytes,
      max(recounted_at) as last_recount_at
    from agent_root_record_counters`,
  overdue: `
    select count(*)::int as records, min(expires_at) as oldest from (
      select expires_at from agent_root_records
      where expires_at < now() - make_interval(hours => $1)
      order by expires_at, id limit $2
    ) late`,
  nearCap: `
    select namespace, collection, records_count
    from agent_root_record_counters where records_count >= $1
    order by records_count desc, namespace, collection limit 100`,
} as const;

/** Reads the report. Never rejects: a failing read is part of the answer. */
export async function readRootDataHealth(
  open: () => Promise<Db>,
): Promise<RootDataHealth> {
  let db: Db | undefined;
  try {
    db = await open();
    return await readHealth(db);
  } catch (error) {
    const code = error instanceof StoreUnavailableError
      ? error.code
      : undefined;
    const name = error instanceof Error ? error.name : "Error";
    const kind = code === undefined ? name : `${name}: ${code}`;
    const away = db === undefined || code === "unreachable"
      ? []
      : await nodesAway(db).catch(() => []);
    return {
      status: "unavailable",
      error: away.length === 0
        ? kind
        : `${kind}; these nodes of the database do not answer: ${
          away.join(", ")
        }. Namespaces on other nodes go on`,
    };
  }
}

/** Nodes of Citus that its coordinator does not reach, as `host:port`. */
async function nodesAway(db: Db): Promise<readonly string[]> {
  const check = "citus_check_cluster_node_health";
  const [found] = await db.read<{ is_there: boolean }>(
    "select to_regproc($1) is not null as is_there",
    [check],
    { limitMs: NODES_LIMIT_MS },
  );
  if (found?.is_there !== true) return [];
  const rows = await db.read<{ node: string }>(
    `select distinct to_nodename || ':' || to_nodeport as node
     from ${check}() where not result order by 1`,
    [],
    { limitMs: NODES_LIMIT_MS },
  );
  return rows.map(({ node }) => node);
}

/** Whether any record waits for the sweep longer than it should: one look. */
export async function isSweepOverdue(db: Queryable): Promise<boolean> {
  const [row] = await db.read<{ records: number }>(
    HEALTH_STATEMENTS.overdue,
    [OVERDUE_HOURS, 1],
  );
  return (row?.records ?? 0) > 0;
}

async function readHealth(db: Db): Promise<RootDataHealth> {
  const nearFrom = MAX_RECORDS_PER_COLLECTION * NEAR_CAP_SHARE;
  const [namespaces, [totals], [late], near] = await Promise.all([
    db.read<Row>(HEALTH_STATEMENTS.namespaces, [MAX_NAMESPACES]),
    db.read<Row>(HEALTH_STATEMENTS.totals),
    db.read<Row>(HEALTH_STATEMENTS.overdue, [OVERDUE_HOURS, MAX_OVERDUE]),
    db.read<Row>(HEALTH_STATEMENTS.nearCap, [nearFrom]),
  ]);
  const overdue = {
    records: Number(late?.records ?? 0),
    is_floor: Number(late?.records ?? 0) >= MAX_OVERDUE,
    oldest_expires_at: iso(late?.oldest),
    threshold_hours: OVERDUE_HOURS,
  };
  const reasons = [
    ...(overdue.records === 0 ? [] : [
      `${
        overdue.is_floor ? "At least " : ""
      }${overdue.records} records expired more than ${OVERDUE_HOURS} hours ago: the sweep is behind`,
    ]),
    ...near.map((row) =>
      `Collection "${row.collection}" of namespace "${row.namespace}" holds ${row.records_count} of ${MAX_RECORDS_PER_COLLECTION} records`
    ),
  ];
  return {
    status: reasons.length === 0 ? "ok" : "warning",
    reasons,
    totals: {
      namespaces: Number(totals?.namespaces ?? 0),
      collections: Number(totals?.collections ?? 0),
      records: Number(totals?.records ?? 0),
      bytes: Number(totals?.bytes ?? 0),
    },
    namespaces: namespaces.map((row) => ({
      namespace: String(row.namespace),
      collections: Number(row.collections),
      records: Number(row.records),
      bytes: Number(row.bytes),
      last_write_at: iso(row.last_write_at),
    })),
    namespaces_omitted: Number(totals?.namespaces ?? 0) - namespaces.length,
    overdue,
    near_cap: near.map((row) => ({
      namespace: String(row.namespace),
      collection: String(row.collection),
      records: Number(row.records_count),
      limit: MAX_RECORDS_PER_COLLECTION,
      pct: Math.floor(
        Number(row.records_count) * 100 / MAX_RECORDS_PER_COLLECTION,
      ),
    })),
    last_recount_at: iso(totals?.last_recount_at),
  };
}

function iso(value: unknown): string | null {
  return value instanceof Date ? value.toISOString() : null;
}
