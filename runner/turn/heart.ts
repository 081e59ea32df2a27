/**
 * Tells the server that a turn is worked on, and hears what is to happen to it.
 *
 * @module
 */
import type { BeatRequest, TurnCommand } from "../../fleet/turns/protocol.ts";
import {
  LeaseLostError,
  type ServerClient,
  ServerRefusalError,
} from "../server/client.ts";
import type { Fence } from "./fence.ts";
import type { Reach } from "./reach.ts";

/** What a heart needs. */
export interface HeartOptions {
  /** The server. */
  readonly client: ServerClient;
  /** The turn. */
  readonly turnId: number;
  /** Its lease. */
  readonly leaseNo: number;
  /** Between beats, in milliseconds. */
  readonly beatMs: number;
  /** Longest wait for commands, in milliseconds. */
  readonly pollMs: number;
  /** What a beat says. */
  readonly say: () => Omit<BeatRequest, "lease_no">;
  /** Is told of good beats. */
  readonly fence: Fence;
  /** Is told whether the agent has reached the server. */
  readonly reach: Reach;
  /** Called for each command, maybe more than once. */
  readonly onCommand: (command: TurnCommand) => void;
  /** Called when the lease turns out to be lost. */
  readonly onLost: (error: Error) => void;
}

const RETRY_MS = 1_000;

/** Beats until it is disposed. */
export class Heart implements AsyncDisposable {
  readonly #options: HeartOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  #wakes = new Set<() => void>();

  /** Begins to beat. */
  constructor(options: HeartOptions) {
    this.#options = options;
    this.#running = Promise.all([this.#beatOn(), this.#listen()]);
  }

  /** One more, now. */
  async beat(): Promise<void> {
    const { client, turnId, leaseNo, say, fence, reach, beatMs } =
      this.#options;
    const mark = fence.mark();
    const { commands, has_called_mcp } = await client.beat(
      turnId,
      { lease_no: leaseNo, ...say() },
      { signal: this.#stop.signal, limitMs: Math.max(1_000, beatMs) },
    );
    fence.good(mark);
    reach.hear(has_called_mcp, mark.monotonic);
    commands.forEach(this.#options.onCommand);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const wake of this.#wakes) wake();
    await this.#running;
  }

  async #beatOn(): Promise<void> {
    const { beatMs } = this.#options;
    while (!this.#stop.signal.aborted) {
      const isGood = await this.#attempt(() => this.beat());
      await this.#pause(isGood ? beatMs : Math.min(RETRY_MS, beatMs));
    }
  }

  async #listen(): Promise<void> {
    const { client, turnId, leaseNo, pollMs, beatMs, onCommand } =
      this.#options;
    while (!this.#stop.signal.aborted) {
      const isGood = await this.#attempt(async () => {
        const { commands } = await client.commands(
          turnId,
          { leaseNo, waitMs: pollMs },
          { signal: this.#stop.signal },
        );
        commands.forEach(onCommand);
        // They stay open until the turn ends: asked again, they come at once.
        if (commands.length > 0) await this.#pause(beatMs);
      });
      if (!isGood) await this.#pause(Math.min(RETRY_MS, beatMs));
    }
  }

  /** Whether it worked. */
  async #attempt(call: () => Promise<void>): Promise<boolean> {
    try {
      await call();
      return true;
    } catch (error) {
      if (this.#stop.signal.aborted) return false;
      if (
        error instanceof LeaseLostError || error instanceof ServerRefusalError
      ) {
        this.#stop.abort();
        this.#options.onLost(error);
      }
      return false; // Otherwise the server is away; the fence counts.
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakes.add(resolve);
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    this.#wakes.delete(resolve);
  }
}
