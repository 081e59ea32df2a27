/**
 * A file that a verb writes: readable by its owner only, and whole or not there
 * at all.
 *
 * @module
 */
import { ConfigError } from "./settings/config.ts";
import { callerPath } from "./settings/environment.ts";

/** Where output goes; disposing before `finish` leaves nothing behind. */
export interface OutputFile extends AsyncDisposable {
  write(bytes: Uint8Array): Promise<void>;
  /** Makes sure that it is on disk, and puts it in its place. */
  finish(): Promise<void>;
}

/**
 * Writes beside the file and renames at the end: a file is whole or old. The
 * path is the caller's; `name` is what it is called in complaints.
 *
 * @throws {ConfigError} Nothing can be written there.
 */
export async function openOutputFile(
  given: string,
  name: string,
): Promise<OutputFile> {
  const path = callerPath(given);
  await assertReplaceable(path, name);
  const draft = `${path}.${crypto.randomUUID()}.part`;
  const file = await Deno.open(draft, {
    write: true,
    createNew: true,
    mode: 0o600,
  }).catch((error) => {
    throw new ConfigError([`Cannot write ${name} ${path}: ${reason(error)}`]);
  });
  let isFinished = false;
  return {
    write: (bytes) => writeAll(file, bytes),
    async finish() {
      await file.sync();
      await Deno.rename(draft, path);
      isFinished = true;
    },
    async [Symbol.asyncDispose]() {
      file.close();
      if (!isFinished) await Deno.remove(draft);
    },
  };
}

/** Writes all bytes, in as many steps as it takes. */
export async function writeAll(
  to: { write(bytes: Uint8Array): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += await to.write(bytes.subarray(at));
  }
}

/** Refuses to put a file in the place of a device, a folder or a link. */
async function assertReplaceable(path: string, name: string): Promise<void> {
  try {
    if ((await Deno.lstat(path)).isFile) return;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw new ConfigError([`Cannot write ${name} ${path}: ${reason(error)}`]);
  }
  throw new ConfigError([
    `Cannot write ${name} ${path}: it exists and is not a regular file`,
  ]);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
