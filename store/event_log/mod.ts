/**
 * The storage of the local CortexDB.
 *
 * @module
 */
export { type EventLogOptions, PostgresEventLog } from "./event_log.ts";
