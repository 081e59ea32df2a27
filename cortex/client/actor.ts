/**
 * Whom a credential speaks for: configured, or asked for once and kept until
 * an answer says that it is no longer so.
 *
 * @module
 */

import { abortable } from "./response_body.ts";
import type { Actor } from "../layout/scope.ts";

/** Asks at most one question at a time, and none while the answer is known. */
export class ActorSource {
  readonly #ask: () => Promise<Actor | undefined>;
  #asking: Promise<Actor | undefined> | undefined;

  /** Takes the question; undefined is an answer too: send no actor. */
  constructor(ask: () => Promise<Actor | undefined>) {
    this.#ask = ask;
  }

  /** The actor. One caller's signal does not end the question of another. */
  async current(signal?: AbortSignal): Promise<Actor | undefined> {
    const asking = this.#asking ??= this.#ask();
    try {
      return await abortable(asking, signal);
    } catch (error) {
      // Only a question that failed is asked again; one left early goes on.
      if (signal?.aborted !== true) this.#drop(asking);
      throw error;
    }
  }

  /** The answer was refused: ask again before the next request. */
  forget(): void {
    this.#asking = undefined;
  }

  #drop(asking: Promise<Actor | undefined>): void {
    if (this.#asking === asking) this.#asking = undefined;
  }
}
