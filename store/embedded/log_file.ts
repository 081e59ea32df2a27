/**
 * The server's log file: kept short, and quoted when a start fails.
 *
 * @module
 */
import type { ClusterFolders } from "./folders.ts";

const MAX_LOG_BYTES = 10 * 1024 * 1024;
const MAX_QUOTED_LINES = 3;

/** Path of the log that the server writes. */
export function logPath(folders: ClusterFolders): string {
  return `${folders.log}/postgresql.log`;
}

/** Puts a log that grew large aside, over the one before it. */
export async function rotateLog(folders: ClusterFolders): Promise<void> {
  const path = logPath(folders);
  if (await sizeOf(path) > MAX_LOG_BYTES) await Deno.rename(path, `${path}.1`);
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
  const bytes = await Deno.readFile(logPath(folders))
    .catch(() => new Uint8Array());
  const lines = new TextDecoder().decode(bytes.subarray(offset)).split("\n")
    .map((line) => line.replace(/^.*?\[\d+\] +/, "").trim())
    .filter(Boolean);
  return lines.slice(-MAX_QUOTED_LINES).join(" | ");
}

async function sizeOf(path: string): Promise<number> {
  return (await Deno.stat(path).catch(() => undefined))?.size ?? 0;
}
