/**
 * Reads what turns reported at their ends into the ledger, from the first turn
 * on: what is there already counts once, so that it may be asked for at any
 * time.
 *
 * @module
 */
import { recordUsage } from "../../store/costs/mod.ts";
import {
  askForBackfill,
  type Backfill,
  lockBackfill,
  noteBackfill,
  readUsageReports,
} from "../../store/health/mod.ts";
import { sendJob } from "../../store/jobs/mod.ts";
import type { Db } from "../../store/pg/mod.ts";
import type { Fleet } from "../fleet.ts";
import { toUsage, UNKNOWN_USE, unknownUsageKey } from "../turns/usage.ts";
import type { UsageReport } from "../turns/protocol.ts";

/** The job. */
export const BACKFILL_JOB = "backfill_token_usage";
/** Turns of a step. */
const STEP_TURNS = 500;

/** Asks for it, or joins the one that is under way. */
export async function backfillUsage(
  { store }: Pick<Fleet, "store">,
): Promise<{ readonly backfill: Backfill; readonly isNew: boolean }> {
  const db = await store.db();
  return await db.transaction(async (tx) => {
    const asked = await askForBackfill(tx);
    // Also when it was asked for before: its job may have been discarded.
    await sendJob(tx, "maintenance", { kind: BACKFILL_JOB });
    return asked;
  });
}

/** One step; the next one is a job of its own. */
export async function stepBackfill(
  db: Db,
  stepTurns: number = STEP_TURNS,
): Promise<void> {
  await db.transaction(async (tx) => {
    const backfill = await lockBackfill(tx);
    if (backfill === undefined) return;
    const reports = await readUsageReports(tx, {
      after: backfill.turnId,
      limit: stepTurns,
    });
    const rows = reports.flatMap((one) =>
      one.usage.filter(isReport).map((row) =>
        toUsage({
          session: { id: one.sessionId, agentRootKey: one.agentRoot },
          turn: { id: one.turnId },
          at: one.endedAt,
        }, { ...NOTHING, ...row })
      )
    );
    const told = reports.filter(({ usage }) => usage.some(isReport));
    const added = rows.length === 0 ? 0 : await recordUsage(tx, rows, {
      superseded: told.map(({ turnId, leaseNo }) =>
        unknownUsageKey({ id: turnId, leaseNo })
      ),
    });
    const isFinished = reports.length < stepTurns;
    await noteBackfill(tx, {
      id: backfill.id,
      turnId: reports.at(-1)?.turnId ?? backfill.turnId,
      turnsRead: backfill.turnsRead + reports.length,
      requestsAdded: backfill.requestsAdded + added,
    }, isFinished);
    if (!isFinished) await sendJob(tx, "maintenance", { kind: BACKFILL_JOB });
  });
}

/** What a report of an older release may lack. */
const NOTHING = { ...UNKNOWN_USE, is_partial: true };

function isReport(value: unknown): value is UsageReport {
  return typeof value === "object" && value !== null &&
    "request_key" in value && typeof value.request_key === "string" &&
    value.request_key !== "";
}
