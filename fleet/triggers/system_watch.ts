/**
 * Watches what of the program goes wrong and comes right again, and tells of
 * each change once, whatever the number of servers that look.
 *
 * @module
 */
import type { CatalogLoader } from "../../catalog/mod.ts";
import type { Queryable } from "../../store/pg/mod.ts";
import { isSweepOverdue } from "../../store/root_data/mod.ts";
import {
  clearStates,
  findSystemStates,
  type FoundState,
  noteState,
} from "../../store/triggers/mod.ts";
import type { Fleet } from "../fleet.ts";
import type { SystemEvent } from "./conditions.ts";
import { emitSystemEvent } from "./system_event.ts";

/** What each kind of trouble is called when it comes, and when it is over. */
const EVENTS: Readonly<
  Record<string, { readonly comes: SystemEvent; readonly goes?: SystemEvent }>
> = {
  catalog_broken: { comes: "catalog_broken", goes: "catalog_recovered" },
  runner_lost: { comes: "runner_lost", goes: "runner_back" },
  login_limited: { comes: "login_limited" },
  queue_backlog: { comes: "queue_backlog" },
  sweep_overdue: { comes: "sweep_overdue" },
};

/** Kinds that every server sees alike, for the database says so. */
const SHARED = [
  "runner_lost",
  "login_limited",
  "queue_backlog",
  "sweep_overdue",
];

/** What one server sees for itself: another may see it otherwise. */
const OWN = ["catalog_broken"];

/**
 * Seconds after which what one server saw is over: it sees it no more, or it is
 * gone. Longer than its pause between two looks.
 */
const OWN_SECONDS = 90;

/** Looks once; says how many changes were told. */
export async function watchSystem(
  { catalog, store }: Pick<Fleet, "catalog" | "store">,
): Promise<number> {
  const db = await store.db();
  const shared = [
    ...await findSystemStates(db),
    ...await overdueSweep(db),
  ];
  const own = catalogState(catalog);
  return await db.transaction(async (tx) => {
    let told = 0;
    for (const found of [...shared, ...own]) {
      const state = await noteState(tx, found);
      const comes = EVENTS[found.name]?.comes;
      if (state === undefined || comes === undefined) continue;
      told++;
      await emitSystemEvent(tx, {
        name: comes,
        key: `${state.subject}:${state.since.toISOString()}`,
        text: state.detail,
      });
    }
    const gone = [
      ...await clearStates(tx, SHARED, {
        still: shared,
        unconfirmedSeconds: 0,
      }),
      ...await clearStates(tx, OWN, {
        still: own,
        unconfirmedSeconds: OWN_SECONDS,
      }),
    ];
    for (const state of gone) {
      const goes = EVENTS[state.name]?.goes;
      if (goes === undefined) continue;
      told++;
      await emitSystemEvent(tx, {
        name: goes,
        key: `${state.subject}:${state.since.toISOString()}`,
        text: `It is over: ${state.detail}`,
      });
    }
    return told;
  });
}

function catalogState(catalog: CatalogLoader): FoundState[] {
  const { state, source, staleReason, lastError } = catalog.status();
  if (state === "fresh") return [];
  const reason = staleReason ?? lastError?.reason;
  // Not asked for yet is not broken.
  if (reason === undefined) return [];
  return [{
    name: "catalog_broken",
    subject: source,
    detail: `The catalog ${source} cannot be read: ${reason}`,
  }];
}

async function overdueSweep(db: Queryable): Promise<FoundState[]> {
  if (!await isSweepOverdue(db)) return [];
  return [{
    name: "sweep_overdue",
    subject: "root_data",
    detail: "Records expired more than two hours ago: the sweep is behind",
  }];
}
