/**
 * Indexing events that were stored without passages, or with those of an older
 * analyser.
 *
 * @module
 */
import type { LogEvent, UnindexedEvent } from "../../cortex/local/port.ts";
import type { Db, Row } from "../pg/db.ts";
import { toJsonRows } from "./json_rows.ts";
import { rootOf } from "./keys.ts";
import { toIndexItem } from "./passages.ts";
import { COLUMNS, toEvent } from "./reads.ts";

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
  if (events.length === 0) return;
  const items = await toJsonRows(events, ({ event, entry }) => {
    const root = rootOf(event.scope);
    return toIndexItem(root, entry, {
      root,
      seq: event.offset,
      scope: event.scope,
    });
  });
  await db.write("select cortex_index($1::text::jsonb)", [items]);
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
