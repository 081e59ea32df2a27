/**
 * What is done when its time has come: each kind of job, and the look for what
 * was due and was not done. All of it may be done twice: the second time finds
 * nothing to do.
 *
 * @module
 */
import type { Job } from "../../store/jobs/mod.ts";
import type { Db } from "../../store/pg/mod.ts";
import { findOpenTurn, lockSession } from "../../store/sessions/mod.ts";
import { dropOldOccurrences } from "../../store/triggers/mod.ts";
import { orderTreeRemovals } from "../../store/turns/mod.ts";
import { expireOverdue } from "../elicitations/expire.ts";
import type { Fleet } from "../fleet.ts";
import { BACKFILL_JOB, stepBackfill } from "../health/backfill.ts";
import { pushNotice, sendNotice } from "../notices/send.ts";
import { drain } from "../sessions/offer.ts";
import { change } from "../sessions/transition.ts";
import { lookAtSpot } from "../spot/look.ts";
import { fireTrigger } from "../triggers/fire.ts";
import { beatSessions } from "./heartbeats.ts";
import { fireWake, tellState } from "../wakes/fire.ts";

/** Does one job. Kinds that nobody knows are of a newer program: left alone. */
export async function doJob(fleet: Fleet, job: Job): Promise<void> {
  const db = await fleet.store.db();
  switch (job.kind) {
    case "tell_state":
      await tellState(db, {
        sessionId: Number(job.session_id),
        stateNo: Number(job.state_no),
      });
      return;
    case "fire_wake":
      await fireWake(db, Number(job.condition_id), {
        watchedStateNo: job.watched_state_no === undefined
          ? undefined
          : Number(job.watched_state_no),
      });
      return;
    case "push_notice":
      await pushNotice(fleet, Number(job.notice_id));
      return;
    case "send_notice":
      await sendNotice(fleet, Number(job.notice_id), String(job.target));
      return;
    case "fire_condition":
      await fireTrigger(fleet, Number(job.trigger_id), {
        of: {
          conditionId: Number(job.condition_id),
          occurrence: String(job.occurrence),
        },
        variables: job.variables as Record<string, string>,
        because: String(job.because),
      });
      return;
    case BACKFILL_JOB:
      await stepBackfill(db);
  }
}

/** What one look found and did. */
export interface Swept {
  /** Sessions with questions that expired. */
  readonly elicitations: number;
  /** Sessions that went on with what was pending. */
  readonly drained: number;
  /** Sessions that had a heartbeat. */
  readonly beaten: number;
  /** Clients' sessions that nobody used for 30 days, archived. */
  readonly archived: number;
  /** Parked sessions that there is room for. */
  readonly resumed: number;
  /** Trees of archived sessions that runners were told to remove. */
  readonly trashed: number;
}

/** Things of a kind that one look does at most. */
const MAX_EACH = 100;
const CLIENT_IDLE_DAYS = 30;
const OCCURRENCE_DAYS = 90;

/** Looks once for what is due. */
export async function sweepFleet(db: Db): Promise<Swept> {
  await dropOldOccurrences(db, OCCURRENCE_DAYS);
  return {
    elicitations: await expireOverdue(db, MAX_EACH),
    drained: await drainIdle(db),
    beaten: await beatSessions(db, MAX_EACH),
    archived: await archiveUnused(db),
    resumed: (await lookAtSpot(db, MAX_EACH)).resumed,
    trashed: await orderTreeRemovals(db, MAX_EACH),
  };
}

/** Sessions at rest over messages that somebody's server died before offering. */
async function drainIdle(db: Db): Promise<number> {
  const rows = await db.read<{ id: string }>(
    `select s.id from sessions s
     where s.status = 'needs_input' and s.paused_by is null and s.driven_by = 'runner'
       and exists (select from enqueued_messages m
         where m.session_id = s.id and m.status = 'pending')
     limit ${MAX_EACH}`,
  );
  let drained = 0;
  for (const { id } of rows) {
    await db.transaction(async (tx) => {
      const session = await lockSession(tx, Number(id));
      if (session === undefined) return;
      if (await findOpenTurn(tx, session.id) !== undefined) return;
      if (await drain(tx, session) !== undefined) drained++;
    });
  }
  return drained;
}

/** Sessions of clients that never came back. */
async function archiveUnused(db: Db): Promise<number> {
  const rows = await db.read<{ id: string }>(
    `select id from sessions
     where status <> 'archived' and driven_by = 'client'
       and coalesce(last_used_at, updated_at) < now() - ${CLIENT_IDLE_DAYS} * interval '1 day'
     order by created_at limit ${MAX_EACH}`,
  );
  for (const { id } of rows) {
    await db.transaction(async (tx) => {
      const session = await lockSession(tx, Number(id));
      if (session === undefined) return;
      await change(tx, session, "archive", {
        note: `no client used it for ${CLIENT_IDLE_DAYS} days`,
      });
    });
  }
  return rows.length;
}
