/**
 * Whoever carries out a turn waits for the answer to its question.
 *
 * @module
 */
import {
  type Elicitation,
  findElicitation,
} from "../../store/around_sessions/mod.ts";
import type { Turns } from "../turns/turns.ts";

/**
 * Resolves with the question once it is open no more, or as it stands when the
 * time is over; undefined where there is none. Holds no connection meanwhile.
 */
export async function waitForAnswer(
  { store, durations, watch }: Pick<Turns, "store" | "durations" | "watch">,
  requestId: string,
  { waitMs, signal }: {
    readonly waitMs: number;
    readonly signal: AbortSignal;
  },
): Promise<Elicitation | undefined> {
  const db = await store.db();
  const deadline = performance.now() + Math.min(waitMs, durations.poll_ms);
  for (;;) {
    signal.throwIfAborted();
    const found = await findElicitation(db, requestId);
    const rest = deadline - performance.now();
    if (found?.status !== "pending" || rest <= 0) return found;
    await watch.wait(
      ({ asked }) => !asked.includes(found.id),
      { ms: rest, signal },
    );
  }
}
