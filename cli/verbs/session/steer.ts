/**
 * `session tell` and `session stop`: what a person does with a session.
 *
 * @module
 */
import {
  type Delivery,
  type Fleet,
  followUp,
  pauseAndWait,
  UNRESTRICTED,
} from "../../../fleet/mod.ts";
import type { Session } from "../../../store/sessions/mod.ts";
import { print, printJson } from "../../output.ts";
import { ConfigError } from "../../settings/config.ts";
import type { Call } from "../../verb.ts";
import { stateOf } from "./standing.ts";

const HOW: Readonly<Record<Delivery["how"], string>> = {
  offered: "a turn is queued for it, and a runner takes it next",
  queued: "it is read when what is under way has ended",
  interrupting: "the turn under way was told to end, and this goes first",
  held: "it waits: only the client that drives this session reads its queue",
};

/** Says something to a session. */
export async function tell(
  call: Call,
  fleet: Fleet,
  session: Session,
  text: string | undefined,
): Promise<number> {
  if (text === undefined) {
    throw new ConfigError(['session tell needs what to say: tell ID "…"']);
  }
  const delivery = await followUp(fleet, UNRESTRICTED, session.id, {
    content: text,
    isForced: call.flags.now === true,
    origin: "person",
  });
  const { how, message, pending, session: after } = delivery;
  if (call.flags.json === true) {
    printJson({
      session_id: after.id,
      status: after.status,
      delivery: how,
      message_id: message.id,
      pending,
    });
    return 0;
  }
  print(`Session ${after.id} is told: ${HOW[how]}`);
  print(`It is ${stateOf(after)}; ${pending} message(s) wait to be said`);
  return 0;
}

/** Ends the turn under way, and holds the queue. */
export async function stop(
  call: Call,
  fleet: Fleet,
  session: Session,
): Promise<number> {
  const { turn, isEnded, receipt, session: after } = await pauseAndWait(
    fleet,
    UNRESTRICTED,
    session.id,
  );
  if (call.flags.json === true) {
    printJson({
      session_id: after.id,
      status: after.status,
      turn: turn.ordinal,
      is_confirmed: isEnded,
    });
    return 0;
  }
  print(
    isEnded
      ? `Turn ${turn.ordinal} of session ${after.id} has ended${
        receipt === null || receipt === undefined ? "" : `: ${receipt}`
      }`
      : `Turn ${turn.ordinal} of session ${after.id} was asked to end, and this is not confirmed yet`,
  );
  print("Its queue is held until it is told something, or restarted");
  return 0;
}
