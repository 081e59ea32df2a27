/**
 * A pause, and the wait for what comes of it: a caller is told that the turn has
 * ended, or that it was asked to and has not answered yet.
 *
 * @module
 */
import type { Queryable } from "../../store/pg/mod.ts";
import {
  findSession,
  type OpenTurn,
  type Session,
} from "../../store/sessions/mod.ts";
import { readBeside } from "../beside.ts";
import type { FleetCaller } from "../caller.ts";
import { DURATIONS } from "../durations.ts";
import type { Fleet } from "../fleet.ts";
import { pauseSession } from "./turns.ts";

/** A session that was asked to pause. */
export interface Paused {
  /** As it stands now. */
  readonly session: Session;
  /** The turn that was under way. */
  readonly turn: OpenTurn;
  /** Whether that turn has ended. */
  readonly isEnded: boolean;
  /** What its runner said of the order, once it has. */
  readonly receipt: string | undefined;
}

const LOOK_MS = 100;

/**
 * Asks for the end of the turn under way, and waits for it as long as
 * `durations.pauseReceipt` says. Holds no connection while it waits.
 *
 * @throws {FleetRefusalError} `wrong_state`: no turn is under way.
 */
export async function pauseAndWait(
  fleet: Pick<Fleet, "catalog" | "store" | "durations">,
  caller: FleetCaller,
  id: number,
  signal?: AbortSignal,
): Promise<Paused> {
  const { session, turn } = await pauseSession(fleet, caller, id);
  const { pauseReceipt } = { ...DURATIONS, ...fleet.durations };
  const deadline = performance.now() + pauseReceipt * 1_000;
  const db = await fleet.store.db();
  for (;;) {
    const ended = await readBeside(() => readEnd(db, turn.id), undefined);
    const rest = deadline - performance.now();
    if (ended === undefined && rest > 0 && signal?.aborted !== true) {
      await pause(Math.min(rest, LOOK_MS), signal);
      continue;
    }
    return {
      session: await readBeside(() => findSession(db, id), session) ?? session,
      turn,
      isEnded: ended !== undefined,
      receipt: ended?.result ?? undefined,
    };
  }
}

/** What its runner said, once a turn has ended. */
async function readEnd(
  db: Queryable,
  turnId: number,
): Promise<{ readonly result: string | null } | undefined> {
  const [row] = await db.read<{ result: string | null }>(
    `select (select result from turn_commands c where c.turn_id = t.id and c.kind = 'stop'
       order by c.id desc limit 1) as result
     from turns t where t.id = $1 and t.phase = 'ended'`,
    [turnId],
  );
  return row;
}

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => resolve();
  signal?.addEventListener("abort", stop);
  await promise;
  clearTimeout(timer);
  signal?.removeEventListener("abort", stop);
}
