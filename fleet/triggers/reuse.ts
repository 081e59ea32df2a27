/**
 * Whom a firing tells, where its trigger tells a session again: the latest one,
 * unless a person paused it, or it failed, is gone or stays archived.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import {
  countMessages,
  findOpenTurn,
  lockSession,
  type Session,
} from "../../store/sessions/mod.ts";
import type { Trigger } from "../../store/triggers/mod.ts";
import { say } from "../queue/deliver.ts";
import { bringBack } from "../sessions/archive.ts";

/** What became of telling it. */
export type Told =
  /** It was told, at once or behind what it does. */
  | { readonly kind: "told"; readonly session: Session; readonly how: string }
  /** It works, and nothing more is put into its queue. */
  | { readonly kind: "busy"; readonly session: Session; readonly why: string }
  /** It cannot be told anything: another session is started. */
  | { readonly kind: "unusable"; readonly why: string };

/** Tells the latest session of a trigger. */
export async function tellAgain(
  tx: Transaction,
  trigger: Trigger,
  { prompt, goal, because }: {
    readonly prompt: string;
    readonly goal: string | undefined;
    readonly because: string;
  },
): Promise<Told> {
  const { lastSessionId } = trigger;
  if (lastSessionId === null) return unusable("it has started none yet");
  const found = await lockSession(tx, lastSessionId);
  if (found === undefined) return unusable("its latest one is gone");
  const session = await usable(tx, trigger, found);
  if (typeof session === "string") return unusable(session);
  const open = await findOpenTurn(tx, session.id);
  const { pending } = await countMessages(tx, session.id);
  const isWorking = open !== undefined &&
    (open.phase !== "queued" || session.pausedBy !== null);
  if (isWorking && !trigger.enqueueMessages) {
    return busy(session, "it works, and enqueue_messages is off");
  }
  if (open !== undefined && pending > 0) {
    return busy(session, `${pending} message(s) wait for it already`);
  }
  const { how } = await say(tx, session, {
    content: prompt,
    goal,
    origin: "trigger",
    cause: { trigger_id: trigger.id, because },
  }, "trigger");
  return { kind: "told", session, how };
}

/** The session, brought back where that is wanted; or why it cannot be used. */
async function usable(
  tx: Transaction,
  { resuscitateArchived }: Trigger,
  session: Session,
): Promise<Session | string> {
  if (session.drivenBy === "client") return "only its client reads its queue";
  if (session.pausedBy === "user") return "a person paused its latest one";
  if (session.status === "archived") {
    if (!resuscitateArchived) return "its latest one is archived";
    if (await findOpenTurn(tx, session.id) !== undefined) {
      return "the last turn of its latest one is still being ended";
    }
    const back = await bringBack(tx, session);
    return back.status === "failed" ? "its latest one failed" : back;
  }
  return session.status === "failed" ? "its latest one failed" : session;
}

function unusable(why: string): Told {
  return { kind: "unusable", why };
}

function busy(session: Session, why: string): Told {
  return { kind: "busy", session, why };
}
