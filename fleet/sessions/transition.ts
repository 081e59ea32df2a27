/**
 * Changes the state of a session: locks its row, looks the event up in the
 * table, and writes what the table says, all in the caller's transaction.
 *
 * Whoever locks more than a session locks in this order: the session, its
 * messages, its turn.
 *
 * @module
 */
import type { Transaction } from "../../store/pg/mod.ts";
import {
  lockSession,
  type Session,
  writeState,
} from "../../store/sessions/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import { lookUp, type SessionEvent } from "./states.ts";

/**
 * Lets an event happen to a session; answers with the session after it.
 *
 * @throws {FleetRefusalError} `not_found`, or `wrong_state` where the event is
 * not possible.
 */
export async function transition(
  tx: Transaction,
  id: number,
  event: SessionEvent,
): Promise<Session> {
  const session = await lockSession(tx, id);
  if (session === undefined) {
    throw new FleetRefusalError("not_found", `Session ${id} does not exist`);
  }
  const found = lookUp(event, session.status);
  if (found === "refused") {
    throw new FleetRefusalError(
      "wrong_state",
      `Session ${id} is ${session.status}, and ${event} is not possible then`,
    );
  }
  if (found === "unchanged") return session;
  return await writeState(tx, id, {
    status: found.to,
    notesArchive: found.effects.includes("note_archive"),
    endsToken: found.effects.includes("end_token"),
  });
}
