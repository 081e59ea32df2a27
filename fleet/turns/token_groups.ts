/**
 * What an agent's token reaches.
 *
 * @module
 */

/** Tool groups of a turn whose session names none. */
export const TURN_TOKEN_GROUPS: readonly string[] = [
  "self_session",
  "root_data",
  "memory",
];

/** Tool groups of a session whose root may start others. */
export const PARENT_TOKEN_GROUPS: readonly string[] = [
  "sessions",
  "notifications",
  "triggers",
  "health",
  "root_data",
  "memory",
];
