/**
 * Jobs by time, of the whole program.
 *
 * @module
 */
export type { Recovery } from "./recovery.ts";
export { enterRecovery, exitRecovery, readRecovery } from "./recovery.ts";
export type {
  ClassCount,
  LaneFigures,
  LaneReport,
  LongestWait,
  QueuedFilter,
} from "./queued.ts";
export {
  countQueued,
  discardJobs,
  lockQueued,
  putOffJobs,
  readLanes,
} from "./queued.ts";
export type { JobRunner } from "./run.ts";
export { runJobs } from "./run.ts";
export type { Job, JobTime, Lane } from "./send.ts";
export { LANES, sendJob } from "./send.ts";
