/**
 * Categories of the board, in their places.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";

/** A category. */
export interface BoardCategory {
  /** Its number. */
  readonly id: number;
  /** Its name. */
  readonly name: string;
}

/** Reads all of them. */
export async function readCategories(
  db: Queryable,
): Promise<readonly BoardCategory[]> {
  const rows = await db.read<Row>(
    "select id, name from categories order by position, id limit 500",
  );
  return rows.map((row) => ({ id: Number(row.id), name: String(row.name) }));
}
