/**
 * Arms wakes: a session sleeps until a time, or until another session rests,
 * fails or is archived.
 *
 * @module
 */
import { decideBy } from "../../catalog/mod.ts";
import { sendJob } from "../../store/jobs/mod.ts";
import type { Queryable, Transaction } from "../../store/pg/mod.ts";
import {
  findOpenTurn,
  findSession,
  insertWake,
  listWakes,
  lockSessions,
  noteState,
  type Session,
  type SessionEventName,
  writeLog,
} from "../../store/sessions/mod.ts";
import { countClocks } from "../../store/triggers/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { DURATIONS } from "../durations.ts";
import { FleetRefusalError } from "../errors.ts";
import { assertSessionInside } from "../fence.ts";
import type { Fleet } from "../fleet.ts";
import { sleepUntilWoken } from "../sessions/offer.ts";
import { assertReach } from "../sessions/reach.ts";
import { assertText, badArgument, LIMITS } from "../sessions/texts.ts";
import { assertWithin } from "../views/find.ts";
import { readLocalTime } from "./time.ts";

/** A wake that was armed. */
export interface Armed {
  /** The trigger's number. */
  readonly wakeId: number;
  /** The session that it wakes, as it stands now. */
  readonly session: Session;
  /** When it is due, where it waits for a time. */
  readonly dueAt: Date | undefined;
  /** Whether it fires at once: what it waits for is so already. */
  readonly isDue: boolean;
  /** The database's time. */
  readonly now: Date;
  /** What would keep it from firing, for people. */
  readonly warnings: readonly string[];
}

const LEAST_SECONDS_AHEAD = 30;

/**
 * Lets a session sleep until a time.
 *
 * @throws {FleetRefusalError} Nothing was created or changed.
 */
export async function wakeLater(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  asked: {
    readonly sessionId: number;
    readonly wakeAt: string;
    readonly timezone?: string | undefined;
    readonly prompt: string;
  },
): Promise<Armed> {
  assertText(asked.prompt, "prompt", LIMITS.prompt);
  const time = readLocalTime(asked.wakeAt, asked.timezone, "wake_at");
  await assertSleeperWithin(fleet, caller, asked.sessionId);
  const db = await fleet.store.db();
  return await db.transaction(async (tx) => {
    const session = await sleeper(tx, caller, asked.sessionId);
    const now = await databaseTime(tx);
    const seconds = (time.instant.getTime() - now.getTime()) / 1_000;
    if (seconds <= LEAST_SECONDS_AHEAD) {
      throw badArgument(
        `wake_at has to lie more than ${LEAST_SECONDS_AHEAD} seconds ahead; it is now ${now.toISOString()}, and ${time.local} in ${time.timezone} is ${time.instant.toISOString()}. Nothing was created or changed`,
      );
    }
    const wake = await insertWake(tx, {
      sessionId: session.id,
      name: `Wake session #${session.id} at ${time.local} ${time.timezone}`,
      prompt: asked.prompt,
      conditions: [{
        kind: "time",
        dueAt: time.instant,
        wakeAt: time.local,
        timezone: time.timezone,
      }],
    });
    const asleep = await layDown(tx, session);
    return {
      wakeId: wake.id,
      session: asleep,
      dueAt: time.instant,
      isDue: false,
      now,
      warnings: await clockWarnings(tx),
    };
  });
}

/**
 * Lets a session sleep until another one comes to rest, fails or is archived.
 *
 * @throws {FleetRefusalError} Nothing was created or changed.
 */
export async function wakeOnSession(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  asked: {
    readonly sessionId: number;
    readonly watchedSessionId: number;
    readonly eventNames: readonly SessionEventName[];
    readonly prompt: string;
  },
): Promise<Armed> {
  assertText(asked.prompt, "prompt", LIMITS.prompt);
  const events = [...new Set(asked.eventNames)];
  if (events.length === 0) throw badArgument("event_names names no event");
  const { watchedSessionId } = asked;
  if (watchedSessionId === asked.sessionId) {
    throw badArgument(
      `Session ${watchedSessionId} cannot wait for itself. Nothing was created or changed`,
    );
  }
  await assertSleeperWithin(fleet, caller, asked.sessionId);
  const db = await fleet.store.db();
  return await decideBy(
    fleet.catalog,
    async (snapshot) =>
      await db.transaction(async (tx) => {
        const found = await lockSessions(tx, [
          asked.sessionId,
          watchedSessionId,
        ]);
        const watched = found.get(watchedSessionId);
        if (watched === undefined) {
          throw new FleetRefusalError(
            "not_found",
            `Session ${watchedSessionId}, which was to be watched, does not exist. Nothing was created or changed`,
          );
        }
        assertSessionInside(caller.fence, snapshot, watched, "watching it");
        if (watched.status === "failed" || watched.status === "archived") {
          throw new FleetRefusalError(
            "wrong_state",
            `Session ${watched.id} is ${watched.status} already, so nothing would come: look at it with get_session. Nothing was created or changed`,
          );
        }
        const session = await sleeper(tx, caller, asked.sessionId);
        const now = await databaseTime(tx);
        const wake = await insertWake(tx, {
          sessionId: session.id,
          name: `Wake session #${session.id} on ${
            events.join(", ")
          } of session #${watched.id}`,
          prompt: asked.prompt,
          conditions: events.map((eventName) => ({
            kind: "event",
            eventName,
            watchedSessionId,
          })),
        });
        const at = events.indexOf("session_needs_input");
        const isDue = at >= 0 && watched.status === "needs_input";
        if (isDue) {
          // A turn boundary is no rest: only what has stood there for a while.
          const settled = watched.stateSince.getTime() +
            DURATIONS.settle * 1_000;
          await sendJob(tx, "triggers", {
            kind: "fire_wake",
            condition_id: wake.conditionIds[at],
            watched_state_no: watched.stateNo,
          }, { at: new Date(Math.max(settled, now.getTime())) });
        }
        const asleep = await layDown(tx, session);
        return {
          wakeId: wake.id,
          session: asleep,
          dueAt: undefined,
          isDue,
          now,
          warnings: await clockWarnings(tx),
        };
      }),
  );
}

/** A session is never kept from waking itself; another one has to be inside. */
async function assertSleeperWithin(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: FleetCaller,
  id: number,
): Promise<void> {
  const session = await findSession(await fleet.store.db(), id);
  if (session === undefined) return; // Told under the lock.
  await assertWithin(fleet, caller, session, "letting it sleep");
}

/** The session that is to sleep, locked. */
async function sleeper(
  tx: Transaction,
  caller: FleetCaller,
  id: number,
): Promise<Session> {
  const session = (await lockSessions(tx, [id])).get(id);
  const nothing = "Nothing was created or changed";
  if (session === undefined) {
    throw new FleetRefusalError(
      "not_found",
      `Session ${id} does not exist. ${nothing}`,
    );
  }
  await assertReach(tx, caller, id);
  if (session.drivenBy === "client") {
    throw new FleetRefusalError(
      "wrong_state",
      `Session ${id} is driven by its client, and no runner can wake it. ${nothing}`,
    );
  }
  if (["needs_input", "running", "waiting"].includes(session.status)) {
    return session;
  }
  throw new FleetRefusalError(
    "wrong_state",
    `Session ${id} is ${session.status}; a wake is for one that is needs_input, running or waiting. ${nothing}`,
  );
}

/** A session with a wake sleeps now, or once its turn is over. */
async function layDown(tx: Transaction, session: Session): Promise<Session> {
  await writeLog(tx, session.id, "A wake was armed");
  if (session.status === "running") {
    return await noteState(tx, session, { pendingSleep: "asleep" });
  }
  // A turn that is queued or waits for an answer goes first.
  if (await findOpenTurn(tx, session.id) !== undefined) return session;
  if (session.status === "waiting" && session.waitReason === "asleep") {
    const due = (await listWakes(tx, session.id))
      .flatMap(({ conditions }) => conditions)
      .flatMap((one) => one.kind === "time" ? [one.dueAt.getTime()] : []);
    return await noteState(tx, session, {
      waitUntil: due.length === 0 ? null : new Date(Math.min(...due)),
    });
  }
  return await sleepUntilWoken(tx, session);
}

/** What is said where no server runs. */
export const NO_CLOCK =
  "No server was seen in the last two minutes: nothing fires until one runs (deno task start)";

/** Why nothing would fire, where that is so. */
export async function clockWarnings(db: Queryable): Promise<readonly string[]> {
  return await countClocks(db) === 0 ? [NO_CLOCK] : [];
}

/** What time it is, by the only clock that counts. */
export async function databaseTime(tx: Transaction): Promise<Date> {
  const [row] = await tx.read<{ now: Date }>("select clock_timestamp() as now");
  return row?.now ?? new Date();
}
