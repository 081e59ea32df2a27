/**
 * Seniority that is claimed: a session that speaks to another is recorded as
 * its senior (uncle), unless that says nothing new or closes a circle.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import {
  deleteUncle,
  findSession,
  hasUncle,
  insertUncle,
  isSenior,
  lockLineage,
  writeLog,
} from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { withSession } from "./with_session.ts";

/** Who is said to have spoken to whom. */
export interface Spoken {
  /** Whom. */
  readonly sessionId: number;
  /** Who says so of itself; nobody is undefined. */
  readonly actingSessionId: number | undefined;
  /** How, e.g. `follow_up`. */
  readonly source: string;
}

/**
 * Records it; whether an edge was written. Never stands in the way of what was
 * said: where there is nothing to record, nothing is.
 */
export async function recordUncle(
  tx: Transaction,
  { sessionId, actingSessionId, source }: Spoken,
): Promise<boolean> {
  const uncle = actingSessionId;
  if (uncle === undefined || uncle === sessionId) return false;
  if (await findSession(tx, uncle) === undefined) return false;
  await lockLineage(tx);
  if (await isSenior(tx, uncle, sessionId)) return false;
  const inverted = await deleteUncle(tx, uncle, sessionId);
  if (await isSenior(tx, sessionId, uncle)) {
    // Still senior by another way: the edge would close a circle.
    if (inverted) {
      await insertUncle(tx, {
        sessionId: uncle,
        uncleSessionId: sessionId,
        source,
      });
    }
    return false;
  }
  await insertUncle(tx, { sessionId, uncleSessionId: uncle, source });
  const how = inverted ? " (the opposite claim is dropped)" : "";
  await writeLog(
    tx,
    sessionId,
    `Session ${uncle} is recorded as its senior, by ${source}${how}`,
  );
  await writeLog(
    tx,
    uncle,
    `Recorded as senior to session ${sessionId}, by ${source}${how}`,
  );
  return true;
}

/**
 * Takes exactly one such edge away again.
 *
 * @throws {FleetRefusalError} There is none; one in the other direction is named.
 */
export async function removeUncle(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  { sessionId, uncleSessionId, actingSessionId }: {
    readonly sessionId: number;
    readonly uncleSessionId: number;
    readonly actingSessionId?: number | undefined;
  },
): Promise<void> {
  const target = { id: sessionId, act: "changing its seniors" };
  await withSession(fleet, caller, target, async (tx) => {
    await lockLineage(tx);
    if (!await deleteUncle(tx, sessionId, uncleSessionId)) {
      const isReverse = await hasUncle(tx, uncleSessionId, sessionId);
      throw new FleetRefusalError(
        "not_found",
        isReverse
          ? `Session ${uncleSessionId} is not recorded as senior to ${sessionId}; it is the other way round: session ${sessionId} is recorded as senior to ${uncleSessionId}. Nothing was changed`
          : `Session ${uncleSessionId} is not recorded as senior to session ${sessionId}. Nothing was changed`,
      );
    }
    const by = actingSessionId === undefined
      ? ""
      : `, as session ${actingSessionId} asked`;
    await writeLog(
      tx,
      sessionId,
      `Session ${uncleSessionId} is no longer recorded as its senior${by}`,
    );
    await writeLog(
      tx,
      uncleSessionId,
      `No longer recorded as senior to session ${sessionId}${by}`,
    );
  });
}
