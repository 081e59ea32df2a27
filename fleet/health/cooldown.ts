/**
 * The pause between two destructive actions of one caller, shared by tool, REST
 * and page. Where it cannot be kept, nothing is done.
 *
 * @module
 */
import { takeCooldown } from "../../store/health/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";

/** Actions that share it. */
export const COOLED_ACTIONS = [
  "cleanup_processes",
  "retry_sessions",
  "archive_old",
] as const;

/** One of them. */
export type CooledAction = typeof COOLED_ACTIONS[number];

/** Seconds between two of the same caller. */
export const COOLDOWN_SECONDS = 30;

/**
 * Does an action, unless the caller did it lately.
 *
 * @param caller SHA-256 of what the caller proved, in hexadecimal digits.
 * @throws {FleetRefusalError} `cooldown`, or `unavailable` where nobody can say
 * when it was done last.
 */
export async function underCooldown<T>(
  { store }: Pick<Fleet, "store">,
  { action, caller }: {
    readonly action: CooledAction;
    readonly caller: string;
  },
  work: () => Promise<T>,
): Promise<T> {
  let left: number;
  try {
    const db = await store.db();
    left = await takeCooldown(db, { action, caller }, COOLDOWN_SECONDS);
  } catch {
    throw new FleetRefusalError(
      "unavailable",
      `Rate limiting unavailable: the database cannot say when ${action} was done last, so it is not done. Nothing was changed; get_system_health says what cannot be read`,
    );
  }
  if (left > 0) {
    throw new FleetRefusalError(
      "cooldown",
      `${action} was done with this key less than ${COOLDOWN_SECONDS} seconds ago, here or on another surface: try again in ${left} seconds. Nothing was changed`,
    );
  }
  return await work();
}
