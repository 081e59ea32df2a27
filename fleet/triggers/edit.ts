/**
 * Triggers made, changed, switched and deleted: one transaction each, under the
 * trigger's lock, and within the caller's fence.
 *
 * @module
 */
import type { CatalogSnapshot } from "../../catalog/mod.ts";
import { decideBy } from "../../catalog/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import { findSession, lockSession } from "../../store/sessions/mod.ts";
import {
  deleteTrigger as deleteRow,
  findTrigger,
  insertTrigger,
  lockTrigger,
  setDue,
  setTriggerStatus,
  type Trigger,
  type TriggerCondition,
  type TriggerSettings,
  type TriggerWithConditions,
  updateCondition,
  updateTrigger as updateRow,
} from "../../store/triggers/mod.ts";
import { readBeside } from "../beside.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import { assertRootInside, assertSessionInside, fenced } from "../fence.ts";
import type { Fleet } from "../fleet.ts";
import { assertReach } from "../sessions/reach.ts";
import { clockWarnings, databaseTime } from "../wakes/arm.ts";
import { badArgument } from "../sessions/texts.ts";
import { nextAfter, scheduleOf } from "./schedule.ts";
import {
  catalogWarnings,
  settingsOf,
  type TriggerRequest,
} from "./settings.ts";
import {
  applyConditions,
  planConditions,
  requestedConditions,
  type WebhookSecret,
} from "./upsert.ts";

/** A trigger as it stands after a change. */
export interface SavedTrigger extends TriggerWithConditions {
  /** Secrets of webhooks that were made: nobody sees them again. */
  readonly secrets: readonly WebhookSecret[];
  /** What would keep it from firing, for people. */
  readonly warnings: readonly string[];
}

/**
 * Makes a trigger.
 *
 * @throws {FleetRefusalError} A rule says no; nothing was created.
 * @throws {StoreRefusalError} A text that the database cannot hold.
 */
export async function createTrigger(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  request: TriggerRequest,
): Promise<SavedTrigger> {
  const settings = settingsOf(request, undefined);
  const requested = requestedConditions(request, []);
  if (requested.length === 0) {
    throw badArgument(
      "create needs conditions, or trigger_type with configuration. Nothing was created",
    );
  }
  const plan = planConditions(requested, []);
  await assertSettingsInside(fleet, caller, settings, request);
  const db = await fleet.store.db();
  const saved = await db.transaction(async (tx) => {
    const trigger = await insertTrigger(
      tx,
      settings,
      request.status ?? "enabled",
    );
    const now = await databaseTime(tx);
    const secrets = await applyConditions(tx, trigger.id, plan, now);
    return { ...await reread(tx, trigger.id), secrets };
  });
  return await withWarnings(fleet, saved);
}

/**
 * Changes a trigger: what the request leaves out stays.
 *
 * @throws {FleetRefusalError} A rule says no; nothing was changed.
 */
export async function updateTrigger(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  request: TriggerRequest,
): Promise<SavedTrigger> {
  const saved = await changing(fleet, caller, id, async (tx, found) => {
    const { trigger } = found;
    if (trigger.wakeSessionId !== null) {
      throw new FleetRefusalError(
        "wrong_state",
        `Trigger ${id} is a wake of session ${trigger.wakeSessionId}, which is not changed: delete it, and let the session arm another. Nothing was changed`,
      );
    }
    const settings = settingsOf(request, trigger);
    const requested = requestedConditions(request, found.conditions);
    const plan = planConditions(requested, found.conditions);
    await assertSettingsInside(fleet, caller, settings, request);
    await updateRow(tx, id, settings);
    const now = await databaseTime(tx);
    const secrets = await applyConditions(tx, id, plan, now);
    if (request.status !== undefined && request.status !== trigger.status) {
      await switchTo(tx, await reread(tx, id), request.status);
    }
    return { ...await reread(tx, id), secrets };
  });
  return await withWarnings(fleet, saved);
}

/**
 * Deletes a trigger; the sessions that it started stay. A wake that is deleted
 * leaves its session asleep until somebody tells it something.
 *
 * @throws {FleetRefusalError} Code `not_found`, `fenced` or `out_of_reach`.
 */
export async function removeTrigger(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
): Promise<Trigger> {
  return await changing(fleet, caller, id, async (tx, { trigger }) => {
    await deleteRow(tx, id);
    return trigger;
  });
}

/**
 * Switches a trigger on or off; without a wish, to the other. One that failed
 * is armed again, and what broke is forgotten.
 *
 * @throws {FleetRefusalError} Code `not_found`, `fenced` or `out_of_reach`.
 */
export async function toggleTrigger(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  wish?: "enabled" | "disabled",
): Promise<SavedTrigger> {
  const saved = await changing(fleet, caller, id, async (tx, found) => {
    const { status } = found.trigger;
    const to = wish ?? (status === "enabled" ? "disabled" : "enabled");
    if (to !== status) await switchTo(tx, found, to);
    return { ...await reread(tx, id), secrets: [] };
  });
  return await withWarnings(fleet, saved);
}

/**
 * Reads a trigger that a caller may see.
 *
 * @throws {FleetRefusalError} Code `not_found` or `fenced`.
 */
export async function readTrigger(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
): Promise<TriggerWithConditions> {
  const db = await fleet.store.db();
  const found = await findTrigger(db, id);
  if (found === undefined) throw unknownTrigger(id);
  const { wakeSessionId, agentRootName } = found.trigger;
  if (caller.fence === null) return found;
  const session = wakeSessionId === null
    ? undefined
    : await findSession(db, wakeSessionId);
  await decideBy(fleet.catalog, (snapshot) => {
    assertInside(caller, snapshot, { agentRootName, session });
  });
  return found;
}

/** What was saved, with what would keep it from firing. */
async function withWarnings<S extends { readonly trigger: Trigger }>(
  fleet: Pick<Fleet, "catalog" | "store">,
  saved: S,
): Promise<S & { readonly warnings: readonly string[] }> {
  const warnings = await readBeside(
    () => warningsOf(fleet, saved.trigger),
    [],
  );
  return { ...saved, warnings };
}

/** What would keep a trigger from firing, for people. */
export async function warningsOf(
  { catalog, store }: Pick<Fleet, "catalog" | "store">,
  trigger: Trigger,
): Promise<readonly string[]> {
  return [
    ...trigger.wakeSessionId === null
      ? await catalogWarnings(catalog, trigger)
      : [],
    ...await clockWarnings(await store.db()),
  ];
}

/** The trigger, locked and inside the caller's fence, for a change. */
async function changing<T>(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
  change: (tx: Transaction, found: TriggerWithConditions) => Promise<T>,
): Promise<T> {
  const { trigger } = await readTrigger(fleet, caller, id);
  const db = await fleet.store.db();
  return await db.transaction(async (tx) => {
    const { wakeSessionId } = trigger;
    if (wakeSessionId !== null) {
      // The order of locks of everything that has to do with wakes.
      await lockSession(tx, wakeSessionId);
      await assertReach(tx, caller, wakeSessionId);
    }
    const found = await lockTrigger(tx, id);
    if (found === undefined) throw unknownTrigger(id);
    return await change(tx, found);
  });
}

async function reread(
  tx: Transaction,
  id: number,
): Promise<TriggerWithConditions> {
  const found = await findTrigger(tx, id);
  if (found === undefined) throw unknownTrigger(id);
  return found;
}

/** The refusal of a trigger that is not there. */
export function unknownTrigger(id: number): FleetRefusalError {
  return new FleetRefusalError(
    "not_found",
    `Trigger ${id} does not exist; search_triggers lists those there are. Nothing was changed`,
  );
}

/** The fence holds what is asked for, too. */
async function assertSettingsInside(
  { catalog }: Pick<Fleet, "catalog" | "store">,
  { fence }: FleetCaller,
  { agentRootName }: TriggerSettings,
  request: TriggerRequest,
): Promise<void> {
  if (fence === null) return;
  if (request.catalogPlugins !== undefined) {
    throw fenced(
      fence,
      "catalog_plugins cannot be set, since plugins bring MCP servers of their own; leave it out for the root's",
    );
  }
  await decideBy(
    catalog,
    (snapshot) => assertRootInside(fence, snapshot, agentRootName),
  );
}

function assertInside(
  { fence, sessionId }: FleetCaller,
  snapshot: CatalogSnapshot,
  { agentRootName, session }: {
    readonly agentRootName: string | null;
    readonly session:
      | { readonly id: number; readonly agentRootKey: string | null }
      | undefined;
  },
): void {
  if (session === undefined) {
    return assertRootInside(fence, snapshot, agentRootName);
  }
  if (session.id === sessionId) return;
  assertSessionInside(fence, snapshot, session, "this wake of it");
}

/**
 * Writes the status. What was off has no past: its schedules begin with the
 * next occurrence, its pollers with what is there then. One that failed goes on
 * from where it failed, and what was due once is due at once.
 */
async function switchTo(
  tx: Transaction,
  { trigger, conditions }: TriggerWithConditions,
  to: "enabled" | "disabled",
): Promise<void> {
  await setTriggerStatus(tx, trigger.id, to);
  if (to === "disabled") return;
  const now = await databaseTime(tx);
  for (const condition of conditions) {
    if (condition.type === "schedule") await rearm(tx, condition, now);
    else if (trigger.status === "disabled" && condition.cursor !== null) {
      await updateCondition(tx, condition.id, {
        configuration: condition.configuration,
        isRebaselined: true,
      });
    }
  }
}

async function rearm(
  tx: Transaction,
  { id, configuration, anchorAt, dueAt }: TriggerCondition,
  now: Date,
): Promise<void> {
  const schedule = scheduleOf(configuration);
  // One that was due once and has not fired is still due.
  if (schedule.kind === "one_time") {
    if (dueAt === null) {
      await setDue(tx, id, nextAfter(schedule, anchorAt, now) ?? null);
    }
    return;
  }
  await setDue(tx, id, nextAfter(schedule, anchorAt, now) ?? null);
}
