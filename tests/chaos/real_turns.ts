/**
 * Runs before a server: durations as they are, but turns are tried again
 * without end, since here it is faults that break them, and never the work.
 *
 * @module
 */
import { TURN_DURATIONS } from "../../fleet/turns/durations.ts";

Object.assign(TURN_DURATIONS, {
  retry_ms: Array.from({ length: 1_000 }, () => 1_000),
});
