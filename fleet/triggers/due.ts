/**
 * Schedules whose time has come. An occurrence is due once, whatever the number
 * of servers and the state of their clocks: its instant is its name, and the
 * database says what time it is.
 *
 * @module
 */
import type { Db, Transaction } from "../../store/pg/mod.ts";
import {
  claimOccurrence,
  findTrigger,
  findTriggerOfCondition,
  lockTrigger,
  noteOutcome,
  setDue,
  setTriggerStatus,
  type TriggerCondition,
} from "../../store/triggers/mod.ts";
import type { Fleet } from "../fleet.ts";
import { fireTrigger, type FiringResult } from "./fire.ts";
import {
  countBetween,
  nextAfter,
  type Schedule,
  scheduleOf,
} from "./schedule.ts";
import { timeVariables } from "./template.ts";

/** Seconds after which an occurrence that did not fire was missed. */
const MISSED_AFTER_SECONDS = 60;

/** Fires the occurrence that a schedule is due with; void where it is not. */
export async function fireSchedule(
  fleet: Pick<Fleet, "catalog" | "store" | "groupNames">,
  conditionId: number,
): Promise<FiringResult["kind"] | "missed"> {
  const db = await fleet.store.db();
  const found = await findTriggerOfCondition(db, conditionId);
  const condition = found?.conditions.find(({ id }) => id === conditionId);
  const now = await timeOf(db);
  if (found === undefined || condition === undefined) return "void";
  const { dueAt } = condition;
  if (dueAt === null || dueAt > now || condition.type !== "schedule") {
    return "void";
  }
  const schedule = scheduleOf(condition.configuration);
  const further = countBetween(schedule, condition.anchorAt, {
    after: dueAt,
    upTo: now,
  });
  const isMissed = now.getTime() - dueAt.getTime() >
    MISSED_AFTER_SECONDS * 1_000;
  if (isMissed && schedule.missed === "skip") {
    return await db.transaction((tx) =>
      skipMissed(tx, condition, { dueAt, missed: further + 1 })
    );
  }
  const local = timeVariables(dueAt, schedule.timezone);
  const late = isMissed
    ? `; ${
      further + 1
    } occurrence(s) were missed since, and this is for all of them`
    : "";
  const because =
    `it was ${local.date} ${local.time} in ${schedule.timezone}${late}`;
  const { kind } = await fireTrigger(fleet, found.trigger.id, {
    of: { conditionId, occurrence: dueAt.toISOString(), dueAt },
    variables: { ...local, event: "schedule", text: because },
    because,
    after: (tx, at) => moveOn(tx, condition, schedule, at),
  });
  return kind;
}

/** Sets when it is due next; a trigger that waits for nothing more is off. */
async function moveOn(
  tx: Transaction,
  { id, triggerId, anchorAt }: TriggerCondition,
  schedule: Schedule,
  now: Date,
): Promise<void> {
  const next = schedule.kind === "one_time"
    ? undefined
    : nextAfter(schedule, anchorAt, now);
  await setDue(tx, id, next ?? null);
  if (next !== undefined) return;
  const after = await findTrigger(tx, triggerId);
  const isSpent = after?.conditions.every(({ type, dueAt }) =>
    type === "schedule" && dueAt === null
  );
  if (isSpent === true) await setTriggerStatus(tx, triggerId, "disabled");
}

async function skipMissed(
  tx: Transaction,
  condition: TriggerCondition,
  { dueAt, missed }: { readonly dueAt: Date; readonly missed: number },
): Promise<"missed" | "void"> {
  const found = await lockTrigger(tx, condition.triggerId);
  const current = found?.conditions.find(({ id }) => id === condition.id);
  if (
    found?.trigger.status !== "enabled" ||
    current?.dueAt?.getTime() !== dueAt.getTime()
  ) return "void";
  const of = { conditionId: condition.id, occurrence: dueAt.toISOString() };
  if (!await claimOccurrence(tx, of)) return "void";
  await noteOutcome(tx, of, {
    outcome:
      `Not fired: no server ran, ${missed} occurrence(s) were missed, and missed is "skip"`,
  });
  const schedule = scheduleOf(condition.configuration);
  await moveOn(tx, condition, schedule, await timeOf(tx));
  return "missed";
}

async function timeOf(db: Pick<Db, "read">): Promise<Date> {
  const [row] = await db.read<{ now: Date }>("select clock_timestamp() as now");
  return row?.now ?? new Date();
}
