/**
 * What files looked like when they were read: a look at one costs microseconds,
 * and says whether it has to be read again.
 *
 * A mark is taken before the file is opened, so that an edit during the reading
 * shows at the next look. One that is younger than the clocks of file systems
 * are fine proves nothing: the next edit may leave the same mark.
 *
 * @module
 */

/** How far its time must be from now to tell a file from its next edit. */
export const SETTLED_MS = 2_000;

interface Mark {
  readonly text: string;
  readonly isSettled: boolean;
}

/** Remembers files by path. */
export class FileMarks {
  readonly #marks = new Map<string, Mark>();
  readonly #now: () => number;

  /** Takes a clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a file that is about to be read. */
  async note(path: string): Promise<void> {
    this.#marks.set(path, await this.#look(path));
  }

  /**
   * Whether a file is another one than what was read. Where its look cannot
   * tell, its content is compared.
   */
  async hasChanged(
    path: string,
    isSameContent: () => Promise<boolean>,
  ): Promise<boolean> {
    const known = this.#marks.get(path);
    const mark = await this.#look(path);
    if (known?.text !== mark.text) return true;
    if (known.isSettled) return false;
    if (!await isSameContent()) return true;
    this.#marks.set(path, mark);
    return false;
  }

  async #look(path: string): Promise<Mark> {
    try {
      const { mtime, ctime, size, ino } = await Deno.stat(path);
      const times = [mtime, ctime].map((time) => time?.getTime() ?? 0);
      const age = this.#now() - Math.max(...times);
      return {
        text: [...times, size, ino].join(),
        isSettled: Math.abs(age) >= SETTLED_MS,
      };
    } catch (error) {
      // No file, or none that may be seen: read again once that changes.
      const text = error instanceof Error ? error.name : "";
      return { text, isSettled: true };
    }
  }
}
