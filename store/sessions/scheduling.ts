/**
 * Classes and places of sessions, and what runners offer.
 *
 * @module
 */
import type { Queryable } from "../pg/db.ts";
import {
  GENESES,
  type Genesis,
  SCHEDULING_CLASSES,
  type SchedulingClass,
} from "./words.ts";

/** Classes of geneses that are not the usual ones. */
export type ClassOverrides = Readonly<
  Partial<Record<Genesis, SchedulingClass>>
>;

/** What an operator set for geneses; empty where nothing was set. */
export async function readClassOverrides(
  db: Queryable,
): Promise<ClassOverrides> {
  const [row] = await db.read<{ overrides: Record<string, unknown> }>(
    "select genesis_class_overrides as overrides from app_settings",
  );
  const found: Partial<Record<Genesis, SchedulingClass>> = {};
  for (const genesis of GENESES) {
    const name = row?.overrides[genesis];
    const known = SCHEDULING_CLASSES.find((one) => one === name);
    if (known !== undefined) found[genesis] = known;
  }
  return found;
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

/** How many runners were seen lately, and what any of them offers, by name. */
export async function readOffer(
  db: Queryable,
): Promise<{ readonly seen: number; readonly runtimes: readonly string[] }> {
  const [row] = await db.read<{ seen: number; runtimes: string[] }>(
    `with lately as (
       select runtimes from runners where revoked_at is null and not draining
         and seen_at > now() - ${RUNNER_SEEN_SECONDS} * interval '1 second'
     )
     select (select count(*) from lately)::int as seen,
       coalesce((select array_agg(distinct name order by name)
         from lately, unnest(runtimes) as name), '{}') as runtimes`,
  );
  return row ?? { seen: 0, runtimes: [] };
}
