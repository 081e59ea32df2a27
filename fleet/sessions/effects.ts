/**
 * What a change of state does beside the row: the effects of the table that are
 * not columns of it.
 *
 * @module
 */
import { type Lane, sendJob } from "../../store/jobs/mod.ts";
import { cancelElicitations } from "../../store/around_sessions/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import {
  cancelTurn,
  dropNotices,
  dropWakes,
  dropWatchers,
  findOpenTurn,
  orderTurn,
  retireMessages,
  type Session,
  staleNotices,
  writeLog,
} from "../../store/sessions/mod.ts";
import { DURATIONS } from "../durations.ts";
import type { Effect, SessionEvent } from "./states.ts";

/** A change of state that was written. */
export interface Change {
  readonly event: SessionEvent;
  readonly before: Session;
  readonly after: Session;
}

/** The lane of everything that follows a change of state. */
const LANE: Lane = "triggers";

/** Carries out effects, in the order of the table. */
export async function applyEffects(
  tx: Transaction,
  change: Change,
  effects: readonly Effect[],
): Promise<void> {
  for (const effect of effects) await RUN[effect](tx, change);
}

/** Done with the row itself, by whoever writes it. */
const inRow = () => Promise.resolve();

const RUN: Readonly<
  Record<Effect, (tx: Transaction, change: Change) => Promise<void>>
> = {
  make_token: inRow,
  end_token: inRow,
  note_archive: inRow,
  forget_archive: inRow,
  keep_pending_sleep: inRow,
  close_questions: (tx, { after }) => cancelElicitations(tx, after.id),
  stale_notices: (tx, { after }) => staleNotices(tx, after.id),
  drop_notices: (tx, { after }) => dropNotices(tx, after.id),
  tell_at_rest: (tx, change) => tell(tx, change, DURATIONS.settle),
  tell_now: (tx, change) => tell(tx, change, 0),
  async retire_messages(tx, { after }) {
    const retired = await retireMessages(tx, after.id);
    if (retired.length === 0) return;
    await writeLog(
      tx,
      after.id,
      `${retired.length} message(s) will not be delivered: ${
        retired.map(({ id, content }) => `#${id} "${oneLine(content)}"`)
          .join("; ")
      }`,
      "warning",
    );
  },
  async end_turn(tx, { event, after }) {
    const turn = await findOpenTurn(tx, after.id);
    if (turn === undefined) return;
    const reason = `the session was ${event}d`;
    if (turn.phase === "queued") await cancelTurn(tx, turn.id, reason);
    else await orderTurn(tx, turn.id, { kind: "stop", reason });
  },
  async drop_wakes(tx, { after }) {
    await dropWakes(tx, after.id);
    await dropWatchers(tx, after.id, "session_archived");
  },
};

/** The job compares the number of the state: another one makes it void. */
async function tell(
  tx: Transaction,
  { after }: Change,
  inSeconds: number,
): Promise<void> {
  await sendJob(tx, LANE, {
    kind: "tell_state",
    session_id: after.id,
    state_no: after.stateNo,
    status: after.status,
  }, { inSeconds });
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
