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
  /** The runner stops: what is not taken soon is left to its successor. */
  readonly stop: AbortSignal;
  /** How long to try from then on, in milliseconds. */
  readonly stopLimitMs: number;
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
  const { client, turnId, sender, pauseMs } = options;
  using patience = new Patience(options);
  while (!patience.hasEnded) {
    if (options.isLost()) return true;
    await patience.orUntil(sender.sent());
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
    await patience.pause(pauseMs);
  }
  return false;
}

/** An hour, or the little that a runner has which stops. */
class Patience implements Disposable {
  readonly #ended = Promise.withResolvers<void>();
  readonly #stop: AbortSignal;
  readonly #hurry: () => void;
  #timer: ReturnType<typeof setTimeout>;
  hasEnded = false;

  constructor(
    { stop, stopLimitMs }: Pick<DeliverOptions, "stop" | "stopLimitMs">,
  ) {
    const end = () => {
      this.hasEnded = true;
      this.#ended.resolve();
    };
    this.#stop = stop;
    this.#timer = setTimeout(end, LIMIT_MS);
    this.#hurry = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(end, stopLimitMs);
    };
    stop.addEventListener("abort", this.#hurry);
    if (stop.aborted) this.#hurry();
  }

  async orUntil(work: Promise<void>): Promise<void> {
    await Promise.race([work, this.#ended.promise]);
  }

  async pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await this.orUntil(promise);
    clearTimeout(timer);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#stop.removeEventListener("abort", this.#hurry);
  }
}
