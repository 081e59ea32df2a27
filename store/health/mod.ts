/**
 * What the health tools look at and write down.
 *
 * @module
 */
export type { Backfill } from "./backfills.ts";
export {
  askForBackfill,
  lockBackfill,
  noteBackfill,
  readUsageReports,
} from "./backfills.ts";
export type { CooldownKey } from "./cooldowns.ts";
export { takeCooldown } from "./cooldowns.ts";
export type { AgentFigures, SilentTurn } from "./turns.ts";
export { readAgentFigures, readSilentTurns } from "./turns.ts";
