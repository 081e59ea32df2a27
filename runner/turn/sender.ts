/**
 * Sends a turn's events from its spool to the server: in order, once, in
 * batches, and again for as long as the server is away.
 *
 * @module
 */
import {
  LeaseLostError,
  type ServerClient,
  ServerRefusalError,
} from "../server/client.ts";
import type { Spool } from "../spool/spool.ts";

/** What a sender needs. */
export interface SenderOptions {
  /** The server. */
  readonly client: ServerClient;
  /** The events. */
  readonly spool: Spool;
  /** Oldest event that was not sent, in milliseconds. */
  readonly flushMs: number;
  /** Called when the lease turns out to be lost. */
  readonly onLost: (error: Error) => void;
}

const MAX_PAUSE_MS = 5_000;

/** Sends until it is disposed. */
export class Sender implements AsyncDisposable {
  readonly #options: SenderOptions;
  readonly #stop = new AbortController();
  #offset = 0;
  #sentSeq = 0;
  #wake: (() => void) | undefined;
  #isWanted = false;
  readonly #running: Promise<void>;
  #waiting: { readonly seq: number; readonly done: () => void }[] = [];

  /** Begins to send. */
  constructor(options: SenderOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Sends at once what there is. */
  hurry(): void {
    this.#isWanted = true;
    this.#wake?.();
  }

  /** Resolves when all events so far are with the server. */
  async sent(): Promise<void> {
    const seq = this.#options.spool.lastSeq;
    if (this.#sentSeq >= seq) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ seq, done: resolve });
    this.hurry();
    const ended = this.#running;
    await Promise.race([promise, ended]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#wake?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { spool, flushMs, onLost } = this.#options;
    let pauseMs = flushMs;
    while (!this.#stop.signal.aborted) {
      await this.#pause(pauseMs);
      if (this.#stop.signal.aborted) return;
      if (this.#sentSeq >= spool.lastSeq) continue;
      try {
        await this.#sendBatch();
        pauseMs = this.#sentSeq < spool.lastSeq ? 0 : flushMs;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        if (
          error instanceof LeaseLostError || error instanceof ServerRefusalError
        ) {
          onLost(error);
          return;
        }
        // Anything else: the server is away, and the spool keeps them.
        pauseMs = Math.min(MAX_PAUSE_MS, Math.max(200, pauseMs * 2));
      }
    }
  }

  async #sendBatch(): Promise<void> {
    const { client, spool } = this.#options;
    const { events, next } = await spool.read(this.#offset);
    const fresh = events.filter(({ seq }) => seq > this.#sentSeq);
    const [first] = fresh;
    if (first === undefined) {
      if (next === this.#offset) throw new Error("The spool has no more");
      this.#offset = next;
      return;
    }
    const { next_seq } = await client.events(spool.header.turn_id, {
      lease_no: spool.header.lease_no,
      first_seq: first.seq,
      events: fresh,
    }, { signal: this.#stop.signal });
    if (next_seq <= first.seq && first.seq > 1 && next_seq <= this.#sentSeq) {
      // The server has less than it said: from the beginning, then.
      this.#offset = 0;
      this.#sentSeq = next_seq - 1;
      return;
    }
    this.#offset = next;
    this.#sentSeq = Math.max(this.#sentSeq, next_seq - 1);
    this.#waiting = this.#waiting.filter(({ seq, done }) => {
      if (seq > this.#sentSeq) return true;
      done();
      return false;
    });
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isWanted) {
      this.#isWanted = false;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
    this.#isWanted = false;
  }
}
