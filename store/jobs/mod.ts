/**
 * Jobs by time, of the whole program.
 *
 * @module
 */
export type { Job, JobTime, Lane } from "./send.ts";
export { LANES, sendJob } from "./send.ts";
