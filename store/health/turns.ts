/**
 * How the lane of agents is: turns that wait and run, and leases of which
 * nothing is heard.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";

/** The lane; ages in seconds, null where there is nothing. */
export interface AgentFigures {
  /** Turns that a runner could take now. */
  readonly ready: number;
  /** Turns that the spot gate holds. */
  readonly held: number;
  /** Turns whose time has not come. */
  readonly deferred: number;
  /** Turns under way. */
  readonly inFlight: number;
  /** Turns that runners seen lately take at once. */
  readonly slots: number;
  /** How long the first in line has waited. */
  readonly headAge: number | null;
  /** For how long the turn that was leased first has run. */
  readonly oldestAge: number | null;
  /** For how long the turn that was leased last has run. */
  readonly youngestAge: number | null;
  /** Leases that have run out, and that no server has ended yet. */
  readonly expired: number;
  /** Sessions by state, without archived ones. */
  readonly sessions: Readonly<Record<string, number>>;
}

/** Seconds after which a runner that said nothing counts as gone. */
const RUNNER_SEEN_SECONDS = 60;
const ACTIVE = "phase in ('leased', 'spawned', 'delivered')";

/** Reads it. */
export async function readAgentFigures(db: Queryable): Promise<AgentFigures> {
  const [row] = await db.read<Row>(
    `with queued as (
       select t.queued_at, coalesce(t.not_before > now(), false) as is_early,
         coalesce(s.wait_reason in ('spot_hold', 'spot_pause'), false) as is_held
       from turns t join sessions s on s.id = t.session_id
       where t.phase = 'queued' and t.kind <> 'summary'),
     active as (select leased_at, leased_until from turns where ${ACTIVE})
     select q.*, a.*,
       (select coalesce(sum(slots), 0)::int from runners where revoked_at is null and not draining
          and seen_at > now() - ${RUNNER_SEEN_SECONDS} * interval '1 second') as slots,
       (select coalesce(jsonb_object_agg(status, n), '{}') from (
          select status, count(*) as n from sessions where status <> 'archived' group by status) s) as sessions
     from (select count(*) filter (where not is_early and not is_held)::int as ready,
         count(*) filter (where not is_early and is_held)::int as held,
         count(*) filter (where is_early)::int as deferred,
         extract(epoch from now() - min(queued_at) filter (where not is_early))::float8 as head
       from queued) q,
       (select count(*)::int as in_flight, count(*) filter (where leased_until < now())::int as expired,
          extract(epoch from now() - min(leased_at))::float8 as oldest,
          extract(epoch from now() - max(leased_at))::float8 as youngest from active) a`,
  );
  const age = (value: unknown) =>
    typeof value === "number" ? Math.max(0, Math.round(value)) : null;
  return {
    ready: Number(row?.ready),
    held: Number(row?.held),
    deferred: Number(row?.deferred),
    inFlight: Number(row?.in_flight),
    slots: Number(row?.slots),
    headAge: age(row?.head),
    oldestAge: age(row?.oldest),
    youngestAge: age(row?.youngest),
    expired: Number(row?.expired),
    sessions: row?.sessions as Record<string, number>,
  };
}

/** A turn under way of which nothing is heard. */
export interface SilentTurn {
  /** The turn. */
  readonly turnId: number;
  /** Its session. */
  readonly sessionId: number;
  /** The runner that has it. */
  readonly runnerId: number;
  /** How far it came. */
  readonly phase: string;
  /** Since its last event, or since its lease, in seconds. */
  readonly silentSeconds: number;
}

/** Turns under way without an event for so long, the quietest first. */
export async function readSilentTurns(
  db: Queryable,
  { seconds, limit }: { readonly seconds: number; readonly limit: number },
): Promise<SilentTurn[]> {
  const rows = await db.read<Row>(
    `select t.id, t.session_id, t.runner_id, t.phase,
       extract(epoch from now() - coalesce(e.at, t.leased_at))::float8 as silent
     from turns t left join lateral (
       select at from turn_events where turn_id = t.id order by seq desc limit 1) e on true
     where t.${ACTIVE} and t.kind <> 'summary' and coalesce(e.at, t.leased_at) < now() - $1::int * interval '1 second'
     order by silent desc limit $2`,
    [seconds, limit],
  );
  return rows.map((row) => ({
    turnId: Number(row.id),
    sessionId: Number(row.session_id),
    runnerId: Number(row.runner_id),
    phase: String(row.phase),
    silentSeconds: Math.round(Number(row.silent)),
  }));
}
