/**
 * Runs before a server: turns whose lease is short, and that are tried again
 * without end, since here it is faults that break them, and never the work.
 *
 * @module
 */
import { DURATIONS } from "../../fleet/durations.ts";
import { TURN_DURATIONS } from "../../fleet/turns/durations.ts";

Object.assign(TURN_DURATIONS, {
  lease_ms: 30_000,
  beat_ms: 1_000,
  fence_interrupt_ms: 15_000,
  fence_kill_ms: 20_000,
  interrupt_ms: 2_000,
  terminate_ms: 1_000,
  exit_ms: 1_000,
  retry_ms: Array.from({ length: 1_000 }, () => 100),
  poll_ms: 5_000,
});

// So that somebody who waits for a rest is told of it at once.
Object.assign(DURATIONS, { settle: 1 });
