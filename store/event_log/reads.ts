/**
 * Reading the event log: pages newest first, events by id.
 *
 * A read over several scopes asks the index of each scope for its share and
 * merges: no plan ever visits a scope that was not asked about.
 * Where only the beginnings of texts are asked for, the database cuts them: a
 * whole text never comes here to be thrown away.
 *
 * @module
 */
import type {
  LogEvent,
  LogFilter,
  LogListRequest,
  LogPage,
  LogReach,
  LogShare,
} from "../../cortex/local/port.ts";
import type { Db, Row } from "../pg/db.ts";
import { withFolds, withTurnIds } from "./folds.ts";
import { fromWireId, rootOf } from "./keys.ts";
import { beginnings, COLUMNS, type Selection, toEvent } from "./rows.ts";

/** Whole events. */
const WHOLE: Selection = { columns: `${COLUMNS}, e.content`, join: "" };

function selection(isCut: boolean, parameter: string): Selection {
  return isCut ? beginnings(parameter) : WHOLE;
}

/** Conditions of an {@link LogFilter} on alias `e`; parameters 5 to 10. */
const FILTER = `
  (cardinality($5::text[]) = 0 or e.labels ?| $5::text[])
  and (cardinality($6::text[]) = 0 or e.actor = any ($6::text[]))
  and ($7::text is null or e.modality = $7::text)
  and e.observed_at >= $8::text::timestamptz and e.observed_at < $9::text::timestamptz
  and e.recorded_at <= $10::text::timestamptz`;

/** Scopes of a reach: parameters 1 (root), 2 (paths) and 3 (below, or null). */
const SCOPES = `
  select path from unnest($2::text[]) path
  union
  select path from cortex_scopes
  where root = $1 and path > $3::text || '/' and path < $3::text || '0'`;

/** The statement behind a page, exported so that its plan can be asserted. */
export function listStatement(
  hasLabels: boolean,
  isCut = false,
  isFolded = false,
): string {
  const { columns, join } = selection(isCut, "$12");
  const share = hasLabels || isFolded
    ? `select l.seq from ${
      isFolded ? "cortex_folded" : "cortex_labelled"
    }($1, s.path, $5::text[], $6::text[],
         $7::text, $8::text::timestamptz, $9::text::timestamptz,
         $10::text::timestamptz, $4::bigint, $11 + 1) l`
    : `select e.seq from cortex_events e
       where e.root = $1 and e.scope = s.path and e.seq < $4::bigint and ${FILTER}
       order by e.scope desc, e.seq desc limit $11 + 1`;
  return `
    with page as (
      select f.seq from (${SCOPES}) s cross join lateral (
        ${share}
      ) f
      order by f.seq desc limit $11 + 1
    )
    select ${columns} from page p join cortex_events e on e.root = $1 and e.seq = p.seq
    ${join}
    order by e.seq desc`;
}

const MAX_OFFSET = "9223372036854775807";

/** One page, newest first. */
export async function listEvents(
  db: Db,
  { reach, filter, before, limit, textLimit, foldWith }: LogListRequest,
): Promise<LogPage> {
  const statement = listStatement(
    filter.labels.length > 0,
    textLimit !== undefined,
    foldWith !== undefined,
  );
  const rows = await db.read<Row>(statement, [
    ...reachParams(reach),
    before === undefined ? MAX_OFFSET : String(before),
    ...filterParams(filter),
    limit,
    ...shareParams({ textLimit }),
  ]);
  const events = rows.slice(0, limit).map(toEvent);
  return {
    events: foldWith === undefined
      ? events
      : foldWith === "ids"
      ? await withTurnIds(db, events)
      : await withFolds(db, events, { textLimit, foldWith }),
    hasMore: rows.length > limit,
  };
}

/** Those of the events that exist, in the order asked. */
export async function readEvents(
  db: Db,
  ids: readonly string[],
  share: LogShare,
): Promise<readonly LogEvent[]> {
  const { columns, join } = selection(share.textLimit !== undefined, "$2");
  const uuids = ids.map((id) => fromWireId("evt", id))
    .filter((one) => one !== undefined);
  if (uuids.length === 0) return [];
  const rows = await db.read<Row>(
    `select ${columns} from cortex_events e ${join}
     where e.id = any ($1::text[]::uuid[])`,
    [uuids, ...shareParams(share)],
  );
  const found = new Map(rows.map(toEvent).map((event) => [event.id, event]));
  return ids.map((id) => found.get(id)).filter((one) => one !== undefined);
}

function reachParams(
  { kind, scope }: LogReach,
): [root: string, paths: readonly string[], below: string | null] {
  const paths = kind === "above" ? lineOf(scope) : [scope];
  return [rootOf(scope), paths, kind === "below" ? scope : null];
}

/** The scope and everything above it. */
function lineOf(scope: string): readonly string[] {
  const line = [];
  for (let at = scope.indexOf("/"); at >= 0; at = scope.indexOf("/", at + 1)) {
    line.push(scope.slice(0, at));
  }
  return [...line, scope];
}

/** Parameters of a filter: labels, actors, modality and three times. */
export function filterParams(filter: LogFilter): readonly unknown[] {
  return [
    filter.labels,
    filter.actors,
    filter.modality ?? null,
    filter.since ?? "-infinity",
    filter.until ?? "infinity",
    filter.recordedBy ?? "infinity",
  ];
}

function shareParams({ textLimit }: LogShare): readonly number[] {
  return textLimit === undefined ? [] : [textLimit];
}
