/**
 * The session in whose name a person writes root data on the pages: records name
 * the session that wrote them, and nobody's agent wrote these.
 *
 * @module
 */
import {
  editSession,
  findSessionByKey,
  insertSession,
  type Session,
} from "../../store/sessions/mod.ts";
import type { Fleet } from "../fleet.ts";
import { TRANSITIONS } from "./states.ts";

/**
 * Finds it, or makes it: one a person, and one for whoever has an API key. No
 * client connects as it, and its card is not on the board.
 */
export async function writerOf(
  { store }: Pick<Fleet, "store">,
  person: string | null,
): Promise<Session> {
  const idempotencyKey = person === null
    ? "pages-writer"
    : `pages-writer:${person}`;
  const db = await store.db();
  const known = await findSessionByKey(db, idempotencyKey);
  if (known !== undefined) return known;
  const made = await db.transaction(async (tx) => {
    const started = await insertSession(tx, {
      agentRootKey: null,
      status: TRANSITIONS.register.to[0],
      waitReason: "never_started",
      drivenBy: "client",
      title: person === null
        ? "Written on the pages with an API key"
        : `Written on the pages by ${person}`.slice(0, 100),
      genesis: "web_ui",
      idempotencyKey,
      withToken: false,
    });
    return started === undefined
      ? undefined
      : await editSession(tx, started.session.id, { visibility: "hidden" });
  });
  // Somebody else may have made it meanwhile.
  const session = made ?? await findSessionByKey(db, idempotencyKey);
  if (session === undefined) {
    throw new RangeError(`There is no writer "${idempotencyKey}"`);
  }
  return session;
}
