/**
 * Jobs that wait or run, by lane and class, and what an operator does to those
 * that wait.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";
import { type Lane, LANES } from "./send.ts";

/** Jobs of a class. */
export interface ClassCount {
  /** The lane. */
  readonly lane: Lane;
  /** The class: the job's kind. */
  readonly jobClass: string;
  /** How many. */
  readonly jobs: number;
}

/** How a lane is; ages in seconds, null where there is nothing. */
export interface LaneFigures {
  /** The lane. */
  readonly lane: Lane;
  /** Jobs that could be done now. */
  readonly ready: number;
  /** Jobs whose time has not come. */
  readonly deferred: number;
  /** Jobs that are being done. */
  readonly inFlight: number;
  /** Jobs that were given up, as long as they are kept. */
  readonly failed: number;
  /** How long the first in line has waited. */
  readonly headAge: number | null;
  /** For how long the job that began first has run. */
  readonly oldestAge: number | null;
  /** For how long the job that began last has run. */
  readonly youngestAge: number | null;
}

/** The job that waits longest. */
export interface LongestWait {
  /** Its lane. */
  readonly lane: Lane;
  /** Its class. */
  readonly jobClass: string;
  /** For how long, in seconds. */
  readonly age: number;
}

/** All lanes. */
export interface LaneReport {
  /** Each lane, in their order. */
  readonly lanes: readonly LaneFigures[];
  /** Classes of what could be done now, the most first. */
  readonly classes: readonly ClassCount[];
  /** The one that waits longest. */
  readonly longest: LongestWait | null;
}

const MAX_CLASSES = 20;
const WAITING = "state in ('created', 'retry')";

/** Reads how the lanes are. */
export async function readLanes(db: Queryable): Promise<LaneReport> {
  const rows = await db.read<Row>(
    `select name,
       count(*) filter (where ${WAITING} and start_after <= now())::int as ready,
       count(*) filter (where ${WAITING} and start_after > now())::int as deferred,
       count(*) filter (where state = 'active')::int as in_flight,
       count(*) filter (where state = 'failed')::int as failed,
       extract(epoch from now() - min(start_after) filter (where ${WAITING}
         and start_after <= now()))::float8 as head,
       extract(epoch from now() - min(started_on) filter (where state = 'active'))::float8 as oldest,
       extract(epoch from now() - max(started_on) filter (where state = 'active'))::float8 as youngest
     from rootcellar_jobs.job where ${WAITING} or state in ('active', 'failed') group by name`,
  );
  const classes = await db.read<Row>(
    `select name, left(data ->> 'kind', 100) as kind, count(*)::int as jobs,
       extract(epoch from now() - min(start_after))::float8 as age
     from rootcellar_jobs.job where ${WAITING} and start_after <= now()
     group by 1, 2 order by jobs desc, 1, 2`,
  );
  const [longest] = classes.toSorted((a, b) => Number(b.age) - Number(a.age));
  return {
    lanes: LANES.map((lane) =>
      figuresOf(lane, rows.find(({ name }) => name === lane))
    ),
    classes: classes.slice(0, MAX_CLASSES).map(countOf),
    longest: longest === undefined ? null : {
      lane: longest.name as Lane,
      jobClass: String(longest.kind),
      age: Math.round(Number(longest.age)),
    },
  };
}

/** Which jobs are meant; nothing means any. */
export interface QueuedFilter {
  /** Of this lane. */
  readonly lane?: Lane | undefined;
  /** Of this class. */
  readonly jobClass?: string | undefined;
}

const MEANT = `${WAITING} and ($1::text is null or name = $1)
  and ($2::text is null or data ->> 'kind' = $2)`;

/** How many wait, by lane and class. */
export async function countQueued(
  db: Queryable,
  filter: QueuedFilter,
): Promise<ClassCount[]> {
  const rows = await db.read<Row>(
    `select name, left(data ->> 'kind', 100) as kind, count(*)::int as jobs
     from rootcellar_jobs.job where ${MEANT} group by 1, 2 order by jobs desc, 1, 2`,
    paramsOf(filter),
  );
  return rows.map(countOf);
}

/** The same, with nobody taking or adding to them until the transaction ends. */
export async function lockQueued(
  tx: Transaction,
  filter: QueuedFilter,
): Promise<{ readonly ids: readonly string[]; readonly counts: ClassCount[] }> {
  const rows = await tx.write<Row>(
    `select id, name, left(data ->> 'kind', 100) as kind
     from rootcellar_jobs.job where ${MEANT} order by id for update`,
    paramsOf(filter),
  );
  const counts = new Map<string, ClassCount>();
  for (const row of rows) {
    const one = countOf({ ...row, jobs: 1 });
    const key = `${one.lane} ${one.jobClass}`;
    const jobs = (counts.get(key)?.jobs ?? 0) + 1;
    counts.set(key, { ...one, jobs });
  }
  return {
    ids: rows.map(({ id }) => String(id)),
    counts: [...counts.values()].sort((a, b) => b.jobs - a.jobs),
  };
}

/** Deletes jobs that wait. */
export async function discardJobs(
  tx: Transaction,
  ids: readonly string[],
): Promise<void> {
  await tx.write(
    `delete from rootcellar_jobs.job where ${WAITING} and id in (
       select value::uuid from jsonb_array_elements_text($1::text::jsonb))`,
    [JSON.stringify(ids)],
  );
}

/** Lets jobs that wait be done so many seconds from now at the earliest. */
export async function putOffJobs(
  tx: Transaction,
  ids: readonly string[],
  seconds: number,
): Promise<void> {
  await tx.write(
    `update rootcellar_jobs.job set
       start_after = now() + $2::int * interval '1 second',
       keep_until = greatest(keep_until, now() + $2::int * interval '1 second' + interval '14 days')
     where ${WAITING} and id in (
       select value::uuid from jsonb_array_elements_text($1::text::jsonb))`,
    [JSON.stringify(ids), seconds],
  );
}

function paramsOf({ lane, jobClass }: QueuedFilter): unknown[] {
  return [lane ?? null, jobClass ?? null];
}

function countOf(row: Row): ClassCount {
  return {
    lane: row.name as Lane,
    jobClass: String(row.kind),
    jobs: Number(row.jobs),
  };
}

function figuresOf(lane: Lane, row: Row | undefined): LaneFigures {
  const age = (value: unknown) =>
    typeof value === "number" ? Math.max(0, Math.round(value)) : null;
  return {
    lane,
    ready: Number(row?.ready ?? 0),
    deferred: Number(row?.deferred ?? 0),
    inFlight: Number(row?.in_flight ?? 0),
    failed: Number(row?.failed ?? 0),
    headAge: age(row?.head),
    oldestAge: age(row?.oldest),
    youngestAge: age(row?.youngest),
  };
}
