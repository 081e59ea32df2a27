/**
 * Indexing events that were stored without passages, or with those of an older
 * analyser.
 *
 * @module
 */
import type {
  LogEvent,
  LogIndexEntry,
  LogPassage,
  UnindexedEvent,
} from "../../cortex/local/port.ts";
import type { Db, Row } from "../pg/db.ts";
import { type LongRow, toJsonRows } from "./json_rows.ts";
import { rootOf } from "./keys.ts";
import { toIndexItem } from "./passages.ts";
import { COLUMNS, toEvent } from "./rows.ts";

/** Passages of an event that one statement writes. */
const PART_PASSAGES = 50;
/** Events that one look for older ones passes at most. */
const LOOK_EVENTS = 5_000;

/** Some events that are not indexed, of the scope's root or of any. */
export async function readUnindexed(
  db: Db,
  limit: number,
  scope: string | undefined,
): Promise<readonly LogEvent[]> {
  const rows = await db.read<Row>(
    `select ${COLUMNS}, e.content from (
       select u.root, u.seq from cortex_unindexed u
       where $2::text is null or u.root = $2
       order by u.root, u.seq limit $1::int) u
     join cortex_events e on e.root = u.root and e.seq = u.seq`,
    [limit, scope === undefined ? null : rootOf(scope)],
  );
  return rows.map(toEvent);
}

/** How many are not, up to a limit. */
export async function countUnindexed(
  db: Db,
  limit: number,
  scope: string | undefined,
): Promise<number> {
  const [row] = await db.read<Row>(
    `select count(*)::int as count from (
       select 1 from cortex_unindexed u
       where $2::text is null or u.root = $2 limit $1::int) u`,
    [limit, scope === undefined ? null : rootOf(scope)],
  );
  return Number(row?.count);
}

/** Indexes events; those that are gone, or indexed by now, are left out. */
export async function indexEvents(
  db: Db,
  events: readonly UnindexedEvent[],
): Promise<void> {
  const isLong = ({ entry }: UnindexedEvent) =>
    entry.passages.length > PART_PASSAGES;
  const short = events.filter((one) => !isLong(one));
  if (short.length > 0) {
    const items = await toJsonRows(
      short,
      ({ event, entry }) => itemOf(event, entry, 0),
    );
    await db.write("select cortex_index($1::text::jsonb)", [items]);
  }
  for (const one of events.filter(isLong)) await indexLong(db, one);
}

/** One statement after the other: one for all would be tens of megabytes. */
async function indexLong(
  db: Db,
  { event, entry }: UnindexedEvent,
): Promise<void> {
  const { length } = entry.passages;
  for (let first = 0; first < length; first += PART_PASSAGES) {
    const part: LogIndexEntry = {
      ...entry,
      passages: entry.passages.slice(first, first + PART_PASSAGES),
      known: first === 0 ? entry.known : [],
    };
    const rows = await toJsonRows([part], () => itemOf(event, part, first));
    const [row] = await db.write<Row>(
      "select cortex_index_part(($1::text::jsonb) -> 0, $2::boolean) as is_waiting",
      [rows, first + PART_PASSAGES >= length],
    );
    if (row?.is_waiting !== true) return;
  }
}

function itemOf(
  { scope, offset }: UnindexedEvent["event"],
  entry: LogIndexEntry,
  first: number,
): LongRow<LogPassage> {
  const root = rootOf(scope);
  return toIndexItem(root, entry, {
    more: { root, seq: offset, scope },
    first,
  });
}

/** Looks for events of older analysers; whether more may be left. */
export async function findOutdated(
  db: Db,
  analyser: number,
): Promise<boolean> {
  const [row] = await db.write<Row>(
    "select cortex_find_outdated($1::int, $2::int) as is_left",
    [analyser, LOOK_EVENTS],
  );
  return row?.is_left === true;
}
