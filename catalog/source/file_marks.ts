/**
 * What files looked like when they were read: a look at one says whether it has
 * to be read again.
 *
 * A mark is taken before the file is opened, so that an edit during the reading
 * shows at the next look. One that is younger than the clocks of file systems
 * are fine proves nothing: the next edit may leave the same mark. Marks hold
 * from when their reading is taken over, not from when it began: until then an
 * edit has not been seen.
 *
 * @module
 */
import { isQuick } from "./quick_files.ts";

/** How far its time must be from now to tell a file from its next edit. */
export const SETTLED_MS = 2_000;

/** What a file looked like. */
interface Mark {
  readonly text: string;
  readonly isSettled: boolean;
}

/** A file as it was read. */
interface Read {
  readonly mark: Mark;
  /** Whether a look at it never keeps this process waiting. */
  readonly isQuick: boolean;
}

/** Remembers files by path. */
export class FileMarks {
  readonly #read = new Map<string, Read>();
  #held = new Map<string, Read>();
  readonly #now: () => number;

  /** Takes a clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a file that is about to be read. */
  async note(path: string): Promise<void> {
    const quick = await isQuick(path);
    this.#read.set(path, { mark: await this.#look(path), isQuick: quick });
  }

  /** Takes files over as they were noted last; what was held before is not. */
  hold(paths: readonly string[]): void {
    this.#held = new Map(paths.flatMap((path) => {
      const read = this.#read.get(path);
      return read === undefined ? [] : [[path, read] as const];
    }));
  }

  /**
   * Whether all that is held certainly is as it was, told at once: false as
   * well where that takes a look that may last.
   */
  areSame(): boolean {
    for (const [path, { mark, isQuick }] of this.#held) {
      if (!isQuick || !mark.isSettled) return false;
      if (this.#lookNow(path).text !== mark.text) return false;
    }
    return true;
  }

  /**
   * Whether anything held is another than what was read. Where its look cannot
   * tell, its content is compared.
   */
  async haveChanged(
    isSameContent: (path: string) => Promise<boolean>,
  ): Promise<boolean> {
    const held = this.#held;
    const looks = [...held].map(async ([path, read]) => {
      const mark = await this.#look(path);
      if (read.mark.text !== mark.text) return true;
      if (read.mark.isSettled) return false;
      if (!await isSameContent(path)) return true;
      held.set(path, { ...read, mark });
      return false;
    });
    return (await Promise.all(looks)).includes(true);
  }

  async #look(path: string): Promise<Mark> {
    try {
      return this.#markOf(await Deno.stat(path));
    } catch (error) {
      return unseen(error);
    }
  }

  #lookNow(path: string): Mark {
    try {
      return this.#markOf(Deno.statSync(path));
    } catch (error) {
      return unseen(error);
    }
  }

  #markOf({ mtime, ctime, size, ino }: Deno.FileInfo): Mark {
    const times = [mtime, ctime].map((time) => time?.getTime() ?? 0);
    const age = this.#now() - Math.max(...times);
    return {
      text: [...times, size, ino].join(),
      isSettled: Math.abs(age) >= SETTLED_MS,
    };
  }
}

/** No file, or none that may be seen: read again once that changes. */
function unseen(error: unknown): Mark {
  return { text: error instanceof Error ? error.name : "", isSettled: true };
}
