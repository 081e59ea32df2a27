/**
 * Classes and places of sessions, and what runners offer.
 *
 * @module
 */
import type { Queryable } from "../pg/db.ts";
import type { SchedulingClass } from "./words.ts";

/** What an operator set for geneses; those that are not there keep their own. */
export async function readGenesisClasses(
  db: Queryable,
): Promise<Readonly<Record<string, SchedulingClass>>> {
  const [row] = await db.read<{ classes: Record<string, SchedulingClass> }>(
    "select genesis_class_overrides as classes from app_settings",
  );
  return row?.classes ?? {};
}

/** Highest place among live spot sessions; undefined where there are none. */
export async function topOfSpot(
  db: Queryable,
  spotGeneses: readonly string[],
): Promise<number | undefined> {
  const [row] = await db.read<{ precedence: number }>(
    `select precedence from sessions
     where status <> 'archived' and (scheduling_class = 'spot' or
       (scheduling_class is null and genesis in (
         select jsonb_array_elements_text($1::text::jsonb))))
     order by precedence desc, created_at, id limit 1`,
    [JSON.stringify(spotGeneses)],
  );
  return row?.precedence;
}

/** Seconds after which a runner that said nothing counts as gone. */
const RUNNER_SEEN_SECONDS = 60;

/** Runners seen lately: all, and those that offer a runtime. */
export async function countRunners(
  db: Queryable,
  runtime: string,
): Promise<{ readonly seen: number; readonly offering: number }> {
  const [row] = await db.read<{ seen: number; offering: number }>(
    `select count(*)::int as seen,
       (count(*) filter (where $1 = any (runtimes)))::int as offering
     from runners where revoked_at is null and not draining
       and seen_at > now() - ${RUNNER_SEEN_SECONDS} * interval '1 second'`,
    [runtime],
  );
  return row ?? { seen: 0, offering: 0 };
}
