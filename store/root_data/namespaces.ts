/**
 * Namespaces that hold records, read from the counters alone.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";

/** A namespace that holds records. */
export interface NamespaceUsage {
  /** Its name. */
  readonly namespace: string;
  /** Collections that hold records. */
  readonly collections: number;
  /** Records in them. */
  readonly records: number;
  /** Bytes of their data. */
  readonly bytes: number;
  /** Last accepted write. */
  readonly lastWriteAt: Date | null;
}

/** One page of namespaces. */
export interface NamespacePage {
  /** In the order of their names. */
  readonly namespaces: readonly NamespaceUsage[];
  /** Namespaces on all pages. */
  readonly total: number;
}

/** Lists namespaces by name. */
export async function listNamespaces(
  db: Db,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<NamespacePage> {
  const [rows, [counted]] = await Promise.all([
    db.read<Row>(
      `select namespace, count(*)::int as collections,
         sum(records_count)::text as records, sum(data_bytes)::text as bytes,
         max(last_write_at) as last_write_at
       from agent_root_record_counters where records_count > 0
       group by namespace order by namespace collate "C" limit $1 offset $2`,
      [limit, offset],
    ),
    db.read<{ total: number }>(
      `select count(distinct namespace)::int as total
       from agent_root_record_counters where records_count > 0`,
    ),
  ]);
  return {
    total: counted?.total ?? 0,
    namespaces: rows.map((row) => ({
      namespace: String(row.namespace),
      collections: Number(row.collections),
      records: Number(row.records),
      bytes: Number(row.bytes),
      lastWriteAt: row.last_write_at as Date | null,
    })),
  };
}
