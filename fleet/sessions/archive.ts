/**
 * The end of a session.
 *
 * @module
 */
import type { Session } from "../../store/sessions/mod.ts";
import type { Fleet } from "../fleet.ts";
import { transition } from "./transition.ts";

/**
 * Archives a session and ends its token. Archiving twice changes nothing.
 *
 * @throws {FleetRefusalError} Code `not_found`.
 */
export async function archiveSession(
  { store }: Pick<Fleet, "store">,
  id: number,
): Promise<Session> {
  const db = await store.db();
  return await db.transaction((tx) => transition(tx, id, "archive"));
}
