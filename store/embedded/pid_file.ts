/**
 * `postmaster.pid`: what a running server writes down about itself.
 *
 * @module
 */
import type { ClusterFolders } from "./folders.ts";
import { openFile, remove, replaceFile } from "./owner_files.ts";

/** The lines that matter here. */
export interface PidFile {
  /** Process id of the server, at the time of writing. */
  readonly pid: number;
  /** Whether it takes connections. */
  readonly isReady: boolean;
  /** Whether it has been told to end. */
  readonly isStopping: boolean;
}

/** No process has this id, and none can. */
const NOBODY = 2_147_483_647;
const STATUS_LINE = 7;
const MAX_BYTES = 4096;

/** Reads the file; undefined when there is none or it is not written yet. */
export async function readPidFile(
  folders: Pick<ClusterFolders, "files" | "owner">,
): Promise<PidFile | undefined> {
  const lines = (await read(folders)).split("\n");
  const pid = Number.parseInt(lines[0] ?? "", 10);
  if (!(pid > 0)) return undefined;
  const status = lines[STATUS_LINE]?.trim();
  return {
    pid,
    isReady: status === "ready",
    isStopping: status === "stopping",
  };
}

/**
 * Makes the file of a dead server name a process that cannot exist.
 *
 * After a restart of the machine its id may belong to an unrelated process, and
 * PostgreSQL would refuse to start for as long as that one lives. The file
 * stays, because it also names the shared memory by which PostgreSQL
 * notices children of a dead server that still run.
 */
export async function disownPidFile(folders: ClusterFolders): Promise<void> {
  const text = await read(folders);
  // Replaced as a whole: PostgreSQL does not start over half a file.
  await replaceFile(
    folders.files.pidFile,
    text.replace(/^[^\n]*/, String(NOBODY)),
    { by: folders.files.newPidFile, actor: folders.owner },
  );
}

/** Removes a file that a power cut left empty. No server may live. */
export async function removePidFile(folders: ClusterFolders): Promise<void> {
  await remove(folders.files.pidFile, folders.owner).catch(() => {});
}

/** Reads often and as little as can be: a start waits for a word in it. */
async function read(
  { files, owner }: Pick<ClusterFolders, "files" | "owner">,
): Promise<string> {
  try {
    if (owner === undefined) return await Deno.readTextFile(files.pidFile);
    using file = await openFile(files.pidFile, owner);
    const bytes = new Uint8Array(MAX_BYTES);
    const count = await file?.read(bytes) ?? 0;
    return new TextDecoder().decode(bytes.subarray(0, count));
  } catch {
    return ""; // A file that is not the owner's says nothing about a server.
  }
}
