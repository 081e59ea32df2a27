/**
 * Looks at something again and again for all who listen, and not at all while
 * nobody does.
 *
 * @module
 */

/** What is looked at. */
export interface Look<News> {
  /** Looks; undefined where there is nothing new. */
  readonly read: () => Promise<News | undefined>;
  /** Forgets what was seen: nobody listens any more. @default {nothing} */
  readonly forget?: () => void;
  /** Between two looks, in milliseconds. */
  readonly everyMs: number;
  /** Whether so long passes before the first look, too. @default {false} */
  readonly beginsLate?: boolean;
}

/** One object for all who listen. */
export class SharedLook<News> {
  readonly #look: Look<News>;
  readonly #listeners = new Set<(news: News) => void>();
  #isLooking = false;
  #looking: Promise<void> = Promise.resolve();
  #endPause: () => void = () => {};

  /** Looks at nothing yet. */
  constructor(look: Look<News>) {
    this.#look = look;
  }

  /**
   * Listens from now on; call the answer to stop: it resolves when nothing is
   * looked at for this listener any more. A listener must not throw.
   */
  listen(listener: (news: News) => void): () => Promise<void> {
    this.#listeners.add(listener);
    if (!this.#isLooking) this.#looking = this.#run();
    return async () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#endPause();
      await this.#looking;
    };
  }

  async #run(): Promise<void> {
    this.#isLooking = true;
    if (this.#look.beginsLate === true) await this.#pause();
    while (this.#listeners.size > 0) {
      try {
        const news = await this.#look.read();
        if (news !== undefined) {
          for (const tell of [...this.#listeners]) tell(news);
        }
      } catch {
        // The database is away: the next look finds what this one missed.
      }
      if (this.#listeners.size > 0) await this.#pause();
    }
    this.#look.forget?.();
    this.#isLooking = false;
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#look.everyMs);
    this.#endPause = () => {
      clearTimeout(timer);
      resolve();
    };
    await promise;
  }
}
