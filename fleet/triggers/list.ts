/**
 * Triggers as a caller may see them: lists, and one with its past.
 *
 * @module
 */
import {
  countTriggers,
  type Firing,
  listTriggerRoots,
  listTriggers as listRows,
  readFirings,
  readTriggeredSessions,
  type TriggeredSession,
  type TriggerFilter,
  type TriggerWithConditions,
} from "../../store/triggers/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import { isInside } from "../fence.ts";
import type { Fleet } from "../fleet.ts";
import { readTrigger, unknownTrigger, warningsOf } from "./edit.ts";

/** Sessions and firings that are shown of a trigger. */
const MAX_PAST = 10;

/** A page of triggers. */
export interface TriggerPage {
  /** The triggers. */
  readonly triggers: readonly TriggerWithConditions[];
  /** How many match, on all pages. */
  readonly total: number;
}

/** Lists triggers inside the caller's fence: failed ones first, then newest. */
export async function listTriggers(
  { catalog, store }: Pick<Fleet, "catalog" | "store">,
  { fence }: FleetCaller,
  { type, status, limit, offset }: Omit<TriggerFilter, "rootNames"> & {
    readonly limit: number;
    readonly offset: number;
  },
): Promise<TriggerPage> {
  const db = await store.db();
  let rootNames: readonly string[] | undefined;
  if (fence !== null) {
    const snapshot = await catalog.current();
    const names = await listTriggerRoots(db);
    rootNames = names.filter((name) => isInside(fence, snapshot, name));
  }
  const filter = { type, status, rootNames };
  const [total, triggers] = await Promise.all([
    countTriggers(db, filter),
    listRows(db, filter, { limit, offset }),
  ]);
  return { total, triggers };
}

/** A trigger with what it did. */
export interface TriggerView extends TriggerWithConditions {
  /** Its latest sessions, newest first. */
  readonly sessions: readonly TriggeredSession[];
  /** Its latest firings, newest first. */
  readonly firings: readonly Firing[];
  /** What would keep it from firing. */
  readonly warnings: readonly string[];
}

/**
 * Shows a trigger.
 *
 * @throws {FleetRefusalError} Code `not_found`, also for one outside of the fence.
 */
export async function showTrigger(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
): Promise<TriggerView> {
  const found = await readTrigger(fleet, caller, id).catch((error) => {
    // What is outside of the fence is not there for whoever looks.
    throw error instanceof FleetRefusalError ? unknownTrigger(id) : error;
  });
  const db = await fleet.store.db();
  const [sessions, firings, warnings] = await Promise.all([
    readTriggeredSessions(db, id, MAX_PAST),
    readFirings(db, id, MAX_PAST),
    warningsOf(fleet, found.trigger),
  ]);
  return { ...found, sessions, firings, warnings };
}
