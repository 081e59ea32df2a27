/**
 * Conversations as one: how many turns there are and how long they are, and of
 * the turns themselves only the beginning of the whole and those asked for.
 *
 * @module
 */
import type { LogEvent, LogTally } from "../../cortex/local/port.ts";
import type { Db, Row } from "../pg/db.ts";
import { fromWireId, rootOf, toWireId } from "./keys.ts";
import { beginnings, toEvent } from "./rows.ts";

const { columns, join } = beginnings("$4");

/** What stands between two turns' texts beside a role: a line end, `: `. */
const BETWEEN = 3;

const STATEMENT = `
  select f.at::int as at, g.place, g.events, g.texts, g.roles, g.texts_before, g.roles_before,
    ${columns}
  from unnest($2::text[], $3::text[]) with ordinality f(scope, label, at)
  cross join lateral (
    select t.seq, t.id,
      (row_number() over own - 1)::int as place,
      (count(*) over ())::int as events,
      (sum(t.texts) over ())::float8 as texts,
      (sum(t.roles) over ())::float8 as roles,
      (sum(t.texts) over own - t.texts)::float8 as texts_before,
      (sum(t.roles) over own - t.roles)::float8 as roles_before
    from (
      select o.seq, o.id, coalesce(char_length(c.text), 0) as texts,
        coalesce(char_length(c.role), 0) as roles
      from cortex_events o
      cross join lateral jsonb_to_record(o.content) as c(text text, role text)
      where o.root = $1 and o.scope = f.scope and o.modality = 'conversation'
        and (o.labels ->> 0) = f.label) t
    window own as (order by t.seq rows unbounded preceding)) g
  join cortex_events e on e.root = $1 and e.seq = g.seq
  ${join}
  where g.texts_before + g.roles_before + ${BETWEEN} * g.place <= $4::int
    or g.id = any ($5::text[]::uuid[])
  order by f.at, e.seq`;

/** What a text without limit has at most, in characters. */
const ALL = 2_147_483_647;

/** The events, each that begins a conversation with what is known of it. */
export async function withFolds(
  db: Db,
  events: readonly LogEvent[],
  { textLimit = ALL, foldWith = [] }: {
    readonly textLimit?: number | undefined;
    /** Turns that are to come along. */
    readonly foldWith?: readonly string[];
  },
): Promise<readonly LogEvent[]> {
  const firsts = firstTurns(events);
  const [one] = firsts;
  if (one === undefined) return events;
  const rows = await db.read<Row>(STATEMENT, [
    ...placesOf(firsts, one),
    textLimit,
    foldWith.map((id) => fromWireId("evt", id))
      .filter((id) => id !== undefined),
  ]);
  const byFirst = Map.groupBy(rows, ({ at }) => firsts[Number(at) - 1]);
  return events.map((event) => {
    const own = byFirst.get(event);
    const [row] = own ?? [];
    if (own === undefined || row === undefined) return event;
    const all: LogTally = {
      events: Number(row.events),
      textLength: Number(row.texts),
      roleLength: Number(row.roles),
    };
    const parts = own.map((part) => ({
      ...toEvent(part),
      before: {
        events: Number(part.place),
        textLength: Number(part.texts_before),
        roleLength: Number(part.roles_before),
      },
    }));
    return { ...event, fold: { ...all, parts } };
  });
}

/** No text is read for these. */
const IDS_STATEMENT = `
  select f.at::int as at, array(
    select o.id::text from cortex_events o
    where o.root = $1 and o.scope = f.scope and o.modality = 'conversation'
      and (o.labels ->> 0) = f.label
    order by o.seq) as ids
  from unnest($2::text[], $3::text[]) with ordinality f(scope, label, at)`;

/** The events, each that begins a conversation with the ids of its turns. */
export async function withTurnIds(
  db: Db,
  events: readonly LogEvent[],
): Promise<readonly LogEvent[]> {
  const firsts = firstTurns(events);
  const [one] = firsts;
  if (one === undefined) return events;
  const rows = await db.read<Row>(IDS_STATEMENT, placesOf(firsts, one));
  const idsOf = new Map(
    rows.map(({ at, ids }) => [
      firsts[Number(at) - 1],
      // An array of uuids as text.
      (ids as readonly string[]).map((id) => toWireId("evt", id)),
    ]),
  );
  return events.map((event) => {
    const turnIds = idsOf.get(event);
    return turnIds === undefined ? event : { ...event, turnIds };
  });
}

/** Of folded events those that begin a conversation. */
function firstTurns(events: readonly LogEvent[]): readonly LogEvent[] {
  return events.filter(({ modality, labels }) =>
    modality === "conversation" && labels[0] !== undefined
  );
}

/** What both statements find conversations by: root, scopes and labels. */
function placesOf(
  firsts: readonly LogEvent[],
  { scope }: LogEvent,
): readonly unknown[] {
  return [
    rootOf(scope),
    firsts.map((first) => first.scope),
    firsts.map(({ labels }) => labels[0]),
  ];
}
