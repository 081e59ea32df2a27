/**
 * What is wrong with the program now: a row each, while it lasts.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";

/** Something that is wrong. */
export interface SystemState {
  /** What kind of thing. */
  readonly name: string;
  /** What it is about, e.g. a runner's number. */
  readonly subject: string;
  /** What there is to say, for people. */
  readonly detail: string;
  /** Since when. */
  readonly since: Date;
}

/** Something that is found to be wrong. */
export type FoundState = Omit<SystemState, "since">;

/** Notes that something is wrong; the state where nobody had noted it yet. */
export async function noteState(
  tx: Transaction,
  { name, subject, detail }: FoundState,
): Promise<SystemState | undefined> {
  const [row] = await tx.write<Row>(
    `insert into system_states as s (name, subject, detail)
     values ($1, left($2, 300), left($3, 1000))
     on conflict (name, subject) do update set confirmed_at = clock_timestamp()
     returning name, subject, detail, since, (xmax = 0) as is_new`,
    [name, subject, detail],
  );
  return row?.is_new === true ? toState(row) : undefined;
}

/**
 * Forgets what of some kinds is wrong no more: what is not among `still`, and
 * was not confirmed by anybody for so many seconds. Answers with it.
 */
export async function clearStates(
  tx: Transaction,
  names: readonly string[],
  { still, unconfirmedSeconds }: {
    readonly still: readonly FoundState[];
    readonly unconfirmedSeconds: number;
  },
): Promise<readonly SystemState[]> {
  const rows = await tx.write<Row>(
    `delete from system_states s
     where s.name in (select jsonb_array_elements_text($1::text::jsonb))
       and not exists (select from jsonb_array_elements($2::text::jsonb) one
         where one->>0 = s.name and left(one->>1, 300) = s.subject)
       and s.confirmed_at <= clock_timestamp() - $3::int * interval '1 second'
     returning s.name, s.subject, s.detail, s.since`,
    [
      JSON.stringify(names),
      JSON.stringify(still.map(({ name, subject }) => [name, subject])),
      unconfirmedSeconds,
    ],
  );
  return rows.map(toState);
}

/** Seconds after which a runner that said nothing counts as gone. */
const RUNNER_GONE_SECONDS = 120;
/** Minutes after which a turn that nobody takes is a backlog. */
const BACKLOG_MINUTES = 10;

/** What the tables say is wrong: runners, logins and the queue of turns. */
export async function findSystemStates(
  db: Queryable,
): Promise<readonly FoundState[]> {
  const rows = await db.read<Row>(
    `select 'runner_lost' as name, id::text as subject,
       'Runner ' || id || ' (' || name || ') was last seen at '
         || to_char(seen_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') || ' UTC' as detail
     from runners
     where revoked_at is null and not draining
       and seen_at < clock_timestamp() - ${RUNNER_GONE_SECONDS} * interval '1 second'
       and seen_at > clock_timestamp() - interval '7 days'
     union all
     select 'login_limited', runtime || ' ' || account,
       'The login ' || account || ' of ' || runtime || ' is limited until '
         || to_char(rejected_until at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'
     from logins where rejected_until > clock_timestamp()
     union all
     select 'queue_backlog', 'turns',
       count(*) || ' turn(s) wait for a runner, the oldest since '
         || to_char(min(queued_at) at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'
     from turns t join sessions s on s.id = t.session_id
     where t.phase = 'queued' and t.kind <> 'summary' and s.wait_reason = 'queued'
       and t.queued_at < clock_timestamp() - ${BACKLOG_MINUTES} * interval '1 minute'
       and (t.not_before is null or t.not_before < clock_timestamp())
     having count(*) > 0`,
  );
  return rows.map((row) => ({
    name: String(row.name),
    subject: String(row.subject),
    detail: String(row.detail),
  }));
}

function toState(row: Row): SystemState {
  return {
    name: String(row.name),
    subject: String(row.subject),
    detail: String(row.detail),
    since: row.since as Date,
  };
}
