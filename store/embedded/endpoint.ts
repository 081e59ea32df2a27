/**
 * Where clients of a cluster connect.
 *
 * A unix socket in the private folder `run`. Its path may hold 107 bytes (103 on
 * macOS): for a longer one a link to `run` is made in a private folder among the
 * temporary files. That folder's name is random, so that no stranger can take
 * it beforehand, and kept in `run`, so that all processes of a user share it.
 * Windows has a loopback port and a generated password instead.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, dirname } from "node:path";
import type { DatabaseTarget } from "../pg/db.ts";
import { ClusterError } from "./errors.ts";
import type { ClusterFolders } from "./folders.ts";
import { NAMES } from "./names.ts";
import { readFile, remove, writeOnce } from "./owner_files.ts";

/** Names the socket only: nothing listens on this port. */
export const SOCKET_PORT = 5432;
/** The superuser, and the only user, of an embedded cluster. */
export const CLUSTER_USER = "rootcellar";
/** The database that initdb makes: using it leaves nothing to create later. */
export const CLUSTER_DATABASE = "postgres";

const MAX_SOCKET_PATH_BYTES = Deno.build.os === "linux" ? 107 : 103;
const TOKEN_REGEXP = /^[0-9a-f]{16}$/;

/**
 * The target of a cluster; makes the short link, or the Windows port and
 * password, when they are missing.
 *
 * @throws {ClusterError} Code `unusable_home` when no link can be made.
 */
export async function prepareTarget(
  folders: ClusterFolders,
): Promise<DatabaseTarget> {
  const shared = { user: CLUSTER_USER, database: CLUSTER_DATABASE };
  if (Deno.build.os === "windows") {
    return { kind: "loopback", ...shared, ...await loopback(folders) };
  }
  const directory = fits(folders.run) ? folders.run : await shortLink(folders);
  return { kind: "socket", directory, port: SOCKET_PORT, ...shared };
}

/** Removes the short link. Other processes must not need it any more. */
export async function removeShortLink(
  folders: ClusterFolders,
  target: DatabaseTarget,
): Promise<void> {
  if (target.kind !== "socket" || target.directory === folders.run) return;
  if (!await isOurLink(target.directory, folders.run)) return;
  await Deno.remove(target.directory).catch(() => {});
  await Deno.remove(dirname(target.directory)).catch(() => {});
}

function fits(directory: string): boolean {
  const path = `${directory}/${basename(NAMES.socket)}`;
  return new TextEncoder().encode(path).length <= MAX_SOCKET_PATH_BYTES;
}

async function shortLink(folders: ClusterFolders): Promise<string> {
  // With the path, too: a home that was copied or moved has another link.
  const hash = createHash("sha256")
    .update(`${await linkToken(folders)} ${folders.run}`).digest("hex");
  const name = `rootcellar-${Deno.uid()}-${hash.slice(0, 16)}`;
  const parents = [...new Set([tmpdir(), "/tmp"])];
  for (const folder of parents.map((parent) => `${parent}/${name}`)) {
    const link = `${folder}/run`;
    if (fits(link) && await ensureLink(folder, link, folders.run)) return link;
  }
  throw new ClusterError(
    "unusable_home",
    `Cannot use the home "${folders.home}": its path is too long for a socket, and no link to it can be made in "${tmpdir()}"; set ROOTCELLAR_HOME to a shorter path`,
  );
}

/** Made by whoever comes first, the same for all. */
async function linkToken(folders: ClusterFolders): Promise<string> {
  const { files, owner } = folders;
  for (let attempt = 0; attempt < 2; attempt++) {
    const bytes = await readFile(files.linkToken, owner);
    const text = bytes && new TextDecoder().decode(bytes);
    if (text !== undefined && TOKEN_REGEXP.test(text)) return text;
    if (text !== undefined) await remove(files.linkToken, owner);
    const token = crypto.getRandomValues(new Uint8Array(8)).toHex();
    await writeOnce(files.linkToken, token, owner);
  }
  throw new TypeError("Link token does not stay as it was written");
}

async function ensureLink(
  folder: string,
  link: string,
  target: string,
): Promise<boolean> {
  try {
    // A stranger's folder is none: what is in it can change at any moment.
    await Deno.mkdir(folder, { mode: 0o700 }).catch(() => {});
    if (!await isOurs(folder)) return false;
    await Deno.symlink(target, link).catch(() => {});
    return await isOurLink(link, target);
  } catch {
    return false;
  }
}

async function isOurs(folder: string): Promise<boolean> {
  const { isDirectory, uid, mode } = await Deno.lstat(folder);
  return isDirectory && uid === Deno.uid() && ((mode ?? 0) & 0o077) === 0;
}

/** A link counts when it lies in a folder of ours and says what we would write. */
async function isOurLink(link: string, target: string): Promise<boolean> {
  try {
    return await isOurs(dirname(link)) && await Deno.readLink(link) === target;
  } catch {
    return false;
  }
}

/** Reads or chooses the port and the password (Windows). */
async function loopback(
  folders: ClusterFolders,
): Promise<{ port: number; password: string }> {
  const path = folders.files.endpoint;
  const known = await readLoopback(path);
  if (known !== undefined) return known;
  const chosen = { port: freePort(), password: crypto.randomUUID() };
  await writeOnce(path, JSON.stringify(chosen), folders.owner);
  return await readLoopback(path) ?? chosen;
}

async function readLoopback(
  path: string,
): Promise<{ port: number; password: string } | undefined> {
  const text = await Deno.readTextFile(path).catch(() => "null");
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) return undefined;
  if (!("port" in value) || !("password" in value)) return undefined;
  const { port, password } = value;
  if (typeof port !== "number" || typeof password !== "string") {
    return undefined;
  }
  return { port, password };
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}
