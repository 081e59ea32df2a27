/**
 * What each turn of a session cost, request by request: a page shows few turns.
 *
 * @module
 */
import type { Db, Row } from "../pg/db.ts";
import { type Prices, turnsStatement } from "./report_statements.ts";

/** The latest turns of a session. */
export interface LatestTurns {
  /** Whose. */
  readonly sessionId: number;
  /** How many. */
  readonly turns: number;
}

/**
 * Reads the list price of each turn's requests in US dollars, by the turn's
 * number; a turn none of whose requests has a price is left out.
 */
export async function readTurnCosts(
  db: Db,
  latest: LatestTurns,
  prices: Prices,
): Promise<ReadonlyMap<number, number>> {
  const { text, params } = turnsStatement(latest, prices);
  const rows = await db.read<Row>(text, params);
  return new Map(rows.map((row) => [Number(row.turn_id), Number(row.usd)]));
}
