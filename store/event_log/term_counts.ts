/**
 * Counting ahead in how many passages the more common terms of a root stand.
 *
 * A thousand passages are counted at a time: by the writer whose event begins
 * another thousand of the log, and in the background of a server.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";

/** Passages that are counted together. */
export const COUNTED_PASSAGES = 1_000;

/** Counts for any root that has enough which is not counted; whether one had. */
export async function countTerms(db: Db): Promise<boolean> {
  const [row] = await db.write<Row>(
    "select cortex_count_any_terms($1::int) as is_counted",
    [COUNTED_PASSAGES],
  );
  return row?.is_counted === true;
}

/** Counts for a root, where it has enough which is not counted. */
export async function countTermsOf(db: Db, root: string): Promise<void> {
  await db.write("select cortex_count_terms($1, $2::int)", [
    root,
    COUNTED_PASSAGES,
  ]);
}
