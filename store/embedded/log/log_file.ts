/**
 * The server's log file: kept short, and quoted when a start fails.
 *
 * @module
 */
import type { ClusterFolders } from "../folders.ts";
import { lastLogWords } from "./last_words.ts";
import { readFile, rename } from "../owner_files.ts";

const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** Path of the log that the server writes. */
export function logPath(folders: ClusterFolders): string {
  return folders.files.logFile;
}

/** Puts a log that grew large aside, over the one before it. */
export async function rotateLog(folders: ClusterFolders): Promise<void> {
  const { files, owner } = folders;
  if (await sizeOf(files.logFile) <= MAX_LOG_BYTES) return;
  await rename(files.logFile, files.oldLogFile, owner);
}

/** Size of the log, to tell later what was written since. */
export function logSize(folders: ClusterFolders): Promise<number> {
  return sizeOf(logPath(folders));
}

/** The lines since `offset` that say why the server ended, as one line. */
export async function logTail(
  folders: ClusterFolders,
  offset: number,
): Promise<string> {
  const bytes = await readFile(folders.files.logFile, folders.owner)
    .catch(() => undefined) ?? new Uint8Array();
  return lastLogWords(new TextDecoder().decode(bytes.subarray(offset)));
}

async function sizeOf(path: string): Promise<number> {
  return (await Deno.stat(path).catch(() => undefined))?.size ?? 0;
}
