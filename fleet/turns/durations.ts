/**
 * How long things take around a turn, in milliseconds. Runners are told, so
 * they are in one place.
 *
 * @module
 */
import type { TurnDurations } from "./protocol.ts";

/** Those of the product. */
export const TURN_DURATIONS: TurnDurations = {
  lease_ms: 60_000,
  beat_ms: 15_000,
  fence_interrupt_ms: 40_000,
  fence_kill_ms: 50_000,
  interrupt_ms: 10_000,
  terminate_ms: 5_000,
  exit_ms: 10_000,
  silence_ms: 600_000,
  reach_ms: 60_000,
  retry_ms: [0, 30_000, 120_000],
  poll_ms: 25_000,
  flush_ms: 500,
};
