/**
 * Which sessions a caller reaches: with a token its own and those that it
 * started, with a key every one.
 *
 * @module
 */
import type { Queryable } from "../../store/pg/mod.ts";
import { isAncestor } from "../../store/sessions/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";

/**
 * Refuses a session that a caller does not reach.
 *
 * @throws {FleetRefusalError} Code `out_of_reach`.
 */
export async function assertReach(
  db: Queryable,
  { isConfined, sessionId }: FleetCaller,
  target: number,
): Promise<void> {
  if (!isConfined || sessionId === null || sessionId === target) return;
  if (await isAncestor(db, sessionId, target)) return;
  throw new FleetRefusalError(
    "out_of_reach",
    `The token of session ${sessionId} reaches that session and those it started; session ${target} is neither. Nothing was changed`,
  );
}
