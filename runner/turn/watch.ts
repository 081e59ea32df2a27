/**
 * Looks at a turn while its agent works: is it still ours, does it say
 * anything, does it keep to its limits?
 *
 * @module
 */
import type { FailureClass, LeasedTurn } from "../../fleet/turns/protocol.ts";
import { findExcess } from "../process/limits.ts";
import type { Spool } from "../spool/spool.ts";
import type { TurnDeps } from "./deps.ts";
import type { Fence, FenceOrder } from "./fence.ts";

/** Between two looks, at most. */
const MAX_LOOK_MS = 1_000;
const CEILING_LOOK_MS = 5_000;

/** What is looked at, and who is told. */
export interface WatchOptions {
  /** What the turn runs with. */
  readonly deps: TurnDeps;
  /** The turn. */
  readonly turn: LeasedTurn;
  /** The marker of its processes. */
  readonly marker: string;
  /** Its fence. */
  readonly fence: Fence;
  /** Its events. */
  readonly spool: Spool;
  /** Whether its silence says nothing. */
  readonly isBusy: () => boolean;
  /** When the agent last said anything, on the monotonic clock. */
  readonly lastSign: () => number;
  /** A rule is broken. */
  readonly onBreach: (kind: FailureClass, detail: string) => void;
  /** The fence wants something. */
  readonly onFence: (order: FenceOrder) => void;
}

/** Looks until it is disposed. */
export function watchTurn(options: WatchOptions): Disposable {
  const { clocks, durations, ceilings } = options.deps;
  const { turn, spool, fence, onBreach } = options;
  const began = clocks.monotonic();
  let lookedAt = began;
  const everyMs = Math.min(MAX_LOOK_MS, durations.fence_interrupt_ms / 20);
  const timer = setInterval(() => {
    const order = fence.look();
    if (order !== undefined) options.onFence(order);
    const now = clocks.monotonic();
    if (spool.isBroken) {
      onBreach(
        "disk_full",
        "The runner cannot write what the agent says: its disk is full",
      );
    }
    if (now - began > turn.max_turn_ms) {
      onBreach(
        "too_long",
        `The turn took longer than ${turn.max_turn_ms} ms; max_turn_minutes of the agent root raises that`,
      );
    }
    const silence = now - options.lastSign();
    if (silence > durations.silence_ms && !options.isBusy()) {
      onBreach(
        "hung",
        `The agent said nothing for ${durations.silence_ms} ms, and no tool was running`,
      );
    }
    if (now - lookedAt < CEILING_LOOK_MS) return;
    lookedAt = now;
    void findExcess(options.marker, ceilings).then((excess) => {
      if (excess !== undefined) onBreach(excess.class, excess.detail);
    });
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
