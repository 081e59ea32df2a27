/**
 * Locks between processes, on files.
 *
 * The kernel drops a lock with the process that holds it, so nothing is stale
 * after a kill. A lock counts only while its file is the one found at the path:
 * a home that was deleted and made anew has new files.
 *
 * The files lie in the cluster's folder, and root shares them with the user who
 * owns it: locks elsewhere would not know of each other. Two releases that keep
 * them in different places must not run on one home at once.
 *
 * @module
 */
import { ClusterError } from "./errors.ts";
import { openOrMakeFile } from "./owner_files.ts";
import type { Owner } from "./user.ts";
import { Deadline, pause } from "./wait.ts";

const POLL_MS = 20;

/** How to take a lock. */
export interface LockOptions {
  /** Alone, or with others who share it. */
  readonly exclusive: boolean;
  /** Who owns the folder of the file, when this process runs as root. */
  readonly owner?: Owner | undefined;
}

/** A lock that this process holds. */
export class FileLock implements Disposable {
  readonly #file: Deno.FsFile;
  #isHeld = true;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Takes the lock, or answers undefined when another holds it. */
  static async tryAcquire(
    path: string,
    options: LockOptions,
  ): Promise<FileLock | undefined> {
    for (;;) {
      const file = await openOrMakeFile(path, options.owner);
      const outcome = await lockFile(file, path, options).catch((error) => {
        file.close();
        throw error;
      });
      if (outcome === "held") return new FileLock(file);
      file.close();
      if (outcome === "busy") return undefined;
    }
  }

  /** Gives the lock up; a second call does nothing. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    // A child that is just being started has the file open, too, and would hold
    // the lock for a moment longer.
    this.#file.unlockSync();
    this.#file.close();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/**
 * Waits for the lock. With `unless`, waiting also ends, with undefined, when
 * what the lock is wanted for has been done by its holder.
 *
 * @throws {ClusterError} Code `locked` when the deadline passes.
 */
export async function acquireLock(
  path: string,
  options: LockOptions & {
    readonly timeoutMs: number;
    readonly unless?: () => Promise<boolean>;
  },
): Promise<FileLock | undefined> {
  const deadline = new Deadline(options.timeoutMs);
  for (;;) {
    const lock = await FileLock.tryAcquire(path, options);
    if (lock !== undefined) return lock;
    if (await options.unless?.()) return undefined;
    if (deadline.isOver) {
      throw new ClusterError(
        "locked",
        `Cannot get hold of the database: another process has held "${path}" for ${
          Math.round(options.timeoutMs / 1000)
        } s; try again, or end that process`,
      );
    }
    await pause(POLL_MS);
  }
}

async function lockFile(
  file: Deno.FsFile,
  path: string,
  { exclusive }: LockOptions,
): Promise<"held" | "busy" | "replaced"> {
  const mine = await file.stat();
  if (!await file.tryLock(exclusive)) return "busy";
  const current = await Deno.stat(path).catch(() => undefined);
  return current !== undefined && current.ino === mine.ino &&
      current.dev === mine.dev
    ? "held"
    : "replaced";
}
