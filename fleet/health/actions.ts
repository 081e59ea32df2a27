/**
 * What an operator does to a fleet that is not well: leftovers are cleaned up,
 * failed sessions tried again, old ones archived, runners asked anew.
 *
 * @module
 */
import { type CatalogSnapshot, decideBy } from "../../catalog/mod.ts";
import type { Db, Row } from "../../store/pg/mod.ts";
import { orderRunners } from "../../store/turns/mod.ts";
import { restartSession } from "../actions/turns.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import { isInside } from "../fence.ts";
import type { Fleet } from "../fleet.ts";
import { archiveSession } from "../sessions/archive.ts";
import { assertRange, badArgument } from "../sessions/texts.ts";

/** Sessions of one call at most. */
export const MAX_ACTED = 100;
/** Days of `archive_old`: from, to, and where nothing is said. */
export const OLD_DAYS = { least: 1, most: 365, standard: 7 } as const;

/** What became of the sessions of a call. */
export interface Acted {
  /** Sessions that it was done to. */
  readonly done: readonly number[];
  /** Sessions that it was not done to, each with the reason. */
  readonly skipped: readonly { readonly id: number; readonly why: string }[];
  /** Whether more may be left for another call. */
  readonly isCut: boolean;
}

/** Asks every runner to kill what turns left behind; how many were asked. */
export async function cleanUpProcesses(
  { store }: Pick<Fleet, "store">,
): Promise<number> {
  return await orderRunners(await store.db(), "clean_up");
}

/** Asks every runner what it can start; how many were asked. */
export async function refreshClis(
  { store }: Pick<Fleet, "store">,
): Promise<number> {
  return await orderRunners(await store.db(), "say_hello");
}

/** The same, and forgets what they said before. */
export async function clearCliCache(
  { store }: Pick<Fleet, "store">,
): Promise<number> {
  const db = await store.db();
  await db.write("update runners set hello = '{}', updated_at = now()");
  return await orderRunners(db, "say_hello");
}

/**
 * Starts failed sessions anew: those that are named, or all that the caller
 * reaches and nobody keeps back, the longest failed first.
 *
 * @throws {FleetRefusalError} `bad_argument`
 */
export async function retrySessions(
  fleet: Pick<Fleet, "store" | "catalog">,
  caller: FleetCaller,
  ids?: readonly number[],
): Promise<Acted> {
  if (ids !== undefined && (ids.length === 0 || ids.length > MAX_ACTED)) {
    throw badArgument(
      `session_ids has ${ids.length}, and names 1 to ${MAX_ACTED}; leave it out for all that failed. Nothing was changed`,
    );
  }
  const db = await fleet.store.db();
  const found = ids === undefined
    ? await candidates(fleet, db, caller, FAILED)
    : { ids: [...new Set(ids)], isCut: false };
  return await each(found, async (id) => {
    await assertFailed(db, id);
    await restartSession(fleet, caller, id);
  });
}

/**
 * Archives sessions that rest or failed for so many days: none with messages
 * to be said, none that a person marked or that sleeps until a wake.
 *
 * @throws {FleetRefusalError} `bad_argument`
 */
export async function archiveOld(
  fleet: Pick<Fleet, "store" | "catalog">,
  caller: FleetCaller,
  days: number = OLD_DAYS.standard,
): Promise<Acted> {
  assertRange(days, "days", [OLD_DAYS.least, OLD_DAYS.most]);
  const db = await fleet.store.db();
  const found = await candidates(fleet, db, caller, OLD, days);
  return await each(found, async (id) => {
    await archiveSession(fleet, id, {}, caller);
  });
}

const FAILED = `select s.id, s.agent_root_key from sessions s
  left join categories c on c.id = s.category_id
  where s.status = 'failed' and s.driven_by = 'runner' and s.paused_by is null
    and c.is_frozen is not true and $1::int is null
  order by s.state_since, s.id`;

const OLD = `select s.id, s.agent_root_key from sessions s
  left join categories c on c.id = s.category_id
  where s.status in ('needs_input', 'failed') and not s.favorited and c.is_frozen is not true
    and greatest(s.state_since, s.last_used_at, s.last_timeline_entry_at)
      < now() - $1::int * interval '1 day'
    and not exists (select from enqueued_messages m where m.session_id = s.id and m.status = 'pending')
    and not exists (select from turns t where t.session_id = s.id and t.phase <> 'ended')
  order by s.state_since, s.id`;

/** Enough that a fence does not hide all of them. */
const MAX_LOOKED_AT = 2_000;

/** Sessions of a statement that are inside of the caller's fence. */
async function candidates(
  { catalog }: Pick<Fleet, "catalog">,
  db: Db,
  { fence }: FleetCaller,
  statement: string,
  days?: number,
): Promise<{ readonly ids: readonly number[]; readonly isCut: boolean }> {
  const rows = await db.read<Row>(`${statement} limit ${MAX_LOOKED_AT}`, [
    days ?? null,
  ]);
  const choose = (snapshot?: CatalogSnapshot) =>
    rows.filter((row) =>
      snapshot === undefined ||
      isInside(fence, snapshot, row.agent_root_key as string | null)
    ).map(({ id }) => Number(id));
  const all = fence === null
    ? choose()
    : await decideBy(catalog, (snapshot) => Promise.resolve(choose(snapshot)));
  return {
    ids: all.slice(0, MAX_ACTED),
    isCut: all.length > MAX_ACTED || rows.length === MAX_LOOKED_AT,
  };
}

async function assertFailed(db: Db, id: number): Promise<void> {
  const [row] = await db.read<{ status: string }>(
    "select status from sessions where id = $1",
    [id],
  );
  if (row === undefined || row.status === "failed") return;
  throw new FleetRefusalError(
    "wrong_state",
    `Session ${id} is ${row.status}, and only a failed one is tried again; action_session restart starts others anew`,
  );
}

/** Each by itself: one that is refused keeps no other from it. */
async function each(
  { ids, isCut }: { readonly ids: readonly number[]; readonly isCut: boolean },
  work: (id: number) => Promise<void>,
): Promise<Acted> {
  const done: number[] = [];
  const skipped: { id: number; why: string }[] = [];
  for (const id of ids) {
    try {
      await work(id);
      done.push(id);
    } catch (error) {
      if (!(error instanceof FleetRefusalError)) throw error;
      skipped.push({ id, why: error.message });
    }
  }
  return { done, skipped, isCut };
}
