/**
 * `postmaster.pid`: what a running server writes down about itself.
 *
 * @module
 */
import type { ClusterFolders } from "./folders.ts";

/** The lines that matter here. */
export interface PidFile {
  /** Process id of the server, at the time of writing. */
  readonly pid: number;
  /** Whether it takes connections. */
  readonly isReady: boolean;
}

/** No process has this id, and none can. */
const NOBODY = 2_147_483_647;
const STATUS_LINE = 7;

/** Reads the file; undefined when there is none or it is not written yet. */
export async function readPidFile(data: string): Promise<PidFile | undefined> {
  const lines = (await read(data)).split("\n");
  const pid = Number.parseInt(lines[0] ?? "", 10);
  if (!(pid > 0)) return undefined;
  return { pid, isReady: lines[STATUS_LINE]?.trim() === "ready" };
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
  const path = pathIn(folders.data);
  const text = await read(folders.data);
  // Replaced as a whole: PostgreSQL does not start over half a file.
  const temporary = `${path}.new`;
  await Deno.writeTextFile(
    temporary,
    text.replace(/^[^\n]*/, String(NOBODY)),
    { mode: 0o600 },
  );
  const { owner } = folders;
  if (owner !== undefined) await Deno.chown(temporary, owner.uid, owner.gid);
  await Deno.rename(temporary, path);
}

/** Removes a file that a power cut left empty. No server may live. */
export async function removePidFile(folders: ClusterFolders): Promise<void> {
  await Deno.remove(pathIn(folders.data)).catch(() => {});
}

function read(data: string): Promise<string> {
  return Deno.readTextFile(pathIn(data)).catch(() => "");
}

function pathIn(data: string): string {
  return `${data}/postmaster.pid`;
}
