/**
 * Which turn a runner gets: due, of a runtime that it can start, at home there,
 * its login not at a limit; of the classes that may go on, priority before
 * spot, then precedence, then age.
 *
 * The head of the line is looked up in the index `sessions_to_lease`, range by
 * range, so that it costs the same among 100,000 waiting sessions as among ten.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";

/** Sessions of a class and kind that may go on. */
export interface PickLane {
  /** A class that sessions have of their own, or the genesis of those that have none. */
  readonly name: string;
  /** Whether they are spot sessions: behind all others. */
  readonly isSpot: boolean;
  /** Whether those that the spot gate holds are meant, or those that it does not. */
  readonly isHeld: boolean;
}

/** What a runner can take. */
export interface PickOptions {
  /** The runner. */
  readonly runnerId: number;
  /** What it can start. */
  readonly runtimes: readonly string[];
  /** What sessions run that name none. */
  readonly standardRuntime: string;
  /** Seconds without a call after which a home counts as lost. */
  readonly homeLostSeconds: number;
  /** The account that the runner's agents are logged in with. */
  readonly account: string;
  /** What may go on now. */
  readonly lanes: readonly PickLane[];
}

/** A turn that was chosen; its session is locked. */
export interface Pick {
  /** The turn. */
  readonly turnId: number;
  /** Its session. */
  readonly sessionId: number;
  /** Whether it was chosen as a spot session. */
  readonly isSpot: boolean;
}

/** One range of the index: a lane of one runtime. */
interface Range {
  readonly name: string;
  readonly is_spot: boolean;
  readonly is_held: boolean;
  /** Blank for sessions that name none. */
  readonly runtime: string;
}

/** The head of a range, `r`, in the order of the index. */
const HEAD = `select t.id as turn_id, s.id, s.precedence, s.state_since
  from sessions s join turns t on t.session_id = s.id
  where s.status = 'waiting' and s.driven_by = 'runner'
    and s.wait_reason in ('queued', 'retrying', 'parked', 'auth_outage', 'spot_hold', 'spot_pause')
    and (s.wait_reason in ('spot_hold', 'spot_pause')) = r.is_held
    and coalesce(s.agent_runtime, '') = r.runtime
    and coalesce(s.scheduling_class, s.genesis) = r.name
    and t.phase = 'queued' and t.kind <> 'summary'
    and (t.not_before is null or t.not_before <= now())
    and (s.home_runner_id is null or s.home_runner_id = $1 or exists (
      select from runners o where o.id = s.home_runner_id and (
        o.revoked_at is not null
        or coalesce(o.seen_at, '-infinity') < now() - $2 * interval '1 second')))
  order by s.precedence desc, s.state_since, s.id limit 1`;

/** The heads of all ranges, in the order in which they are taken. */
export const HEADS_STATEMENT =
  `select r.name, r.is_spot, r.is_held, r.runtime from jsonb_to_recordset($3::text::jsonb)
     as r (name text, is_spot boolean, is_held boolean, runtime text)
   cross join lateral (${HEAD}) h
   order by r.is_spot, h.precedence desc, h.state_since, h.id`;

const LOCK_STATEMENT = `select h.turn_id, h.id from (
     select $3::text as name, $4::boolean as is_held, $5::text as runtime) r
   cross join lateral (${HEAD} for no key update of s skip locked) h`;

/** Chooses a turn and locks its session; those that others hold are left. */
export async function pickTurn(
  tx: Transaction,
  options: PickOptions,
): Promise<Pick | undefined> {
  const { runnerId, homeLostSeconds } = options;
  const ranges = await rangesOf(tx, options);
  if (ranges.length === 0) return undefined;
  const heads = await tx.read<Row & Range>(HEADS_STATEMENT, [
    runnerId,
    homeLostSeconds,
    JSON.stringify(ranges),
  ]);
  for (const head of heads) {
    const [row] = await tx.write<{ turn_id: string; id: string }>(
      LOCK_STATEMENT,
      [runnerId, homeLostSeconds, head.name, head.is_held, head.runtime],
    );
    if (row === undefined) continue;
    return {
      turnId: Number(row.turn_id),
      sessionId: Number(row.id),
      isSpot: head.is_spot,
    };
  }
  return undefined;
}

/** The ranges that a runner may take from, without those of refused logins. */
async function rangesOf(
  db: Queryable,
  { runtimes, account, standardRuntime, lanes }: PickOptions,
): Promise<Range[]> {
  const rows = await db.read<{ runtime: string }>(
    `select runtime from logins where account = $1 and rejected_until > now()`,
    [account],
  );
  const refused = new Set(rows.map(({ runtime }) => runtime));
  const free = [...new Set(runtimes)].filter((name) => !refused.has(name));
  const named = free.includes(standardRuntime) ? ["", ...free] : free;
  return lanes.flatMap(({ name, isSpot, isHeld }) =>
    named.map((runtime) => ({
      name,
      is_spot: isSpot,
      is_held: isHeld,
      runtime,
    }))
  );
}
