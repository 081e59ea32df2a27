/**
 * Jobs by time, of the whole program.
 *
 * @module
 */
export type { JobRunner } from "./run.ts";
export { runJobs } from "./run.ts";
export type { Job, JobTime, Lane } from "./send.ts";
export { LANES, sendJob } from "./send.ts";
