/**
 * One client of a stream is told what is new: never two things at once, and once
 * more where something changed meanwhile.
 *
 * @module
 */

/** Goes on until it is stopped. */
export class Telling {
  readonly #tellNews: () => Promise<void>;
  #underWay: Promise<void> | undefined;
  #isDue = false;
  #isOver = false;

  /** `tellNews` reads and sends all that is new. */
  constructor(tellNews: () => Promise<void>) {
    this.#tellNews = tellNews;
  }

  /** Whether the client has left. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Something may be new. */
  tell(): void {
    this.#isDue = true;
    this.#underWay ??= this.#run();
  }

  /** Resolves when nothing is read any more. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#underWay;
  }

  async #run(): Promise<void> {
    while (this.#isDue && !this.#isOver) {
      this.#isDue = false;
      try {
        await this.#tellNews();
      } catch {
        // The database is away; the next change tells of this one, too.
      }
    }
    this.#underWay = undefined;
  }
}
