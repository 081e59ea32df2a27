/**
 * Reads decisions by their number, and the entries of gates.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import { DECISION_COLUMNS, type GateDecision, toDecision } from "./decision.ts";

/** Reads a decision; undefined where there is none. */
export async function findDecision(
  db: Queryable,
  id: number,
): Promise<GateDecision | undefined> {
  const [row] = await db.read<Row>(
    `select ${DECISION_COLUMNS} from gate_decisions d where d.id = $1`,
    [id],
  );
  return row === undefined ? undefined : toDecision(row);
}

/** Reads the entries of some decisions, by number. */
export async function readPayloads(
  db: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Readonly<Record<string, unknown>>>> {
  if (ids.length === 0) return new Map();
  const rows = await db.read<Row>(
    `select id, payload from gate_decisions where id = any ($1::text::bigint[])`,
    [`{${ids.join(",")}}`],
  );
  return new Map(
    rows.map((row) => [
      Number(row.id),
      row.payload as Readonly<Record<string, unknown>>,
    ]),
  );
}
