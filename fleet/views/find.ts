/**
 * A session as a caller names it, within the caller's fence.
 *
 * @module
 */
import { cutText, decideBy } from "../../catalog/mod.ts";
import { listRootKeys } from "../../store/session_reads/mod.ts";
import { findSessionByName, type Session } from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import { assertSessionInside, isInside } from "../fence.ts";
import type { Fleet } from "../fleet.ts";

/**
 * Finds a session by id or slug; `act` is what is to be done with it. A caller
 * is never fenced from its own session.
 *
 * @throws {FleetRefusalError} Code `not_found` or `fenced`.
 */
export async function findFor(
  fleet: Pick<Fleet, "catalog" | "store">,
  caller: Pick<FleetCaller, "fence" | "sessionId">,
  { name, act }: { readonly name: string | number; readonly act: string },
): Promise<Session> {
  const db = await fleet.store.db();
  const session = await findSessionByName(db, String(name).trim());
  if (session === undefined) {
    throw new FleetRefusalError(
      "not_found",
      `Session not found: ${
        cutText(String(name), 100)
      }. quick_search_sessions lists sessions with their ids`,
    );
  }
  await assertWithin(fleet, caller, session, act);
  return session;
}

/**
 * Refuses a session outside of the caller's fence.
 *
 * @throws {FleetRefusalError} Code `fenced`.
 */
export async function assertWithin(
  { catalog }: Pick<Fleet, "catalog">,
  { fence, sessionId }: Pick<FleetCaller, "fence" | "sessionId">,
  session: Pick<Session, "id" | "agentRootKey">,
  act: string,
): Promise<void> {
  if (fence === null || session.id === sessionId) return;
  await decideBy(
    catalog,
    (snapshot) => assertSessionInside(fence, snapshot, session, act),
  );
}

/** Keys under which sessions of a caller's roots are stored; undefined: all. */
export async function keysWithin(
  { catalog, store }: Pick<Fleet, "catalog" | "store">,
  { fence }: Pick<FleetCaller, "fence">,
): Promise<readonly string[] | undefined> {
  if (fence === null) return undefined;
  const snapshot = await catalog.current();
  const keys = await listRootKeys(await store.db());
  return keys.filter((key) => isInside(fence, snapshot, key));
}
