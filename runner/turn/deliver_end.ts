/**
 * Hands a turn's end to the server, for as long as that takes.
 *
 * @module
 */
import type { EndRequest } from "../../fleet/turns/protocol.ts";
import {
  LeaseLostError,
  type ServerClient,
  ServerRefusalError,
} from "../server/client.ts";
import type { Report } from "./deps.ts";
import type { Sender } from "./sender.ts";

/** What it takes. */
export interface DeliverOptions {
  /** The server. */
  readonly client: ServerClient;
  /** The turn. */
  readonly turnId: number;
  /** Sends what comes before the end. */
  readonly sender: Sender;
  /** Between two attempts, in milliseconds. */
  readonly pauseMs: number;
  /** How long to try, in milliseconds. @default {an hour} */
  readonly limitMs: number | undefined;
  /** Whether the lease is known to be gone. */
  readonly isLost: () => boolean;
  /** Told what happens. */
  readonly report: Report;
}

const LIMIT_MS = 3_600_000;

/** Whether nothing is left to be done: it was taken, or nobody wants it. */
export async function deliverEnd(
  end: EndRequest,
  options: DeliverOptions,
): Promise<boolean> {
  const { client, turnId, sender, pauseMs, limitMs = LIMIT_MS } = options;
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    if (options.isLost()) return true;
    await withLimit(sender.sent(), deadline - performance.now());
    try {
      const answer = await client.end(turnId, end);
      options.report("turn_ended", {
        turn: turnId,
        outcome: end.outcome,
        class: end.class,
        next: answer.next,
      });
      return true;
    } catch (error) {
      if (
        error instanceof LeaseLostError || error instanceof ServerRefusalError
      ) {
        options.report("turn_end_refused", {
          turn: turnId,
          reason: error.message,
        });
        return true;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return false;
}

async function withLimit(work: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
