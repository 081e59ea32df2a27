/**
 * What those who wait for work look at: one small row for all of them.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import { SUMMARY_PATIENCE_SECONDS } from "./summaries.ts";

/** What there is. */
export interface WatchReading {
  /** The turn that was queued last of those that are due; null where none is. */
  readonly newestDue: number | null;
  /** Requests that were given a turn whose runner has not started on it. */
  readonly answered: readonly string[];
  /** Turns under way with open commands. */
  readonly commanded: readonly number[];
  /** Runners with something to do beside turns. */
  readonly ordered: readonly number[];
}

/** Reads it. */
export async function readWatch(db: Queryable): Promise<WatchReading> {
  const [row] = await db.read<Row>(
    `select (select id::text from turns where phase = 'queued'
         and (not_before is null or not_before <= now())
         and (kind <> 'summary'
           or queued_at > now() - ${SUMMARY_PATIENCE_SECONDS} * interval '1 second')
         order by queued_at desc, id desc limit 1) as newest_due,
       array(select request_id from turns where phase = 'leased'
         and request_id is not null limit 1000) as answered,
       array(select distinct turn_id::text from turn_commands
         where answered_at is null limit 1000) as commanded,
       array(select distinct runner_id::text from runner_commands
         where acknowledged_at is null limit 1000) as ordered`,
  );
  return {
    newestDue: typeof row?.newest_due === "string"
      ? Number(row.newest_due)
      : null,
    answered: Array.isArray(row?.answered) ? row.answered.map(String) : [],
    commanded: numbersOf(row?.commanded),
    ordered: numbersOf(row?.ordered),
  };
}

function numbersOf(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}
