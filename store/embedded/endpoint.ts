/**
 * Where clients of a cluster connect.
 *
 * A unix socket in the private folder `run`. Its path may hold 107 bytes (103 on
 * macOS): for a longer one a short link to `run` is made in the folder for
 * temporary files. The link's name follows from the path alone, so that all
 * processes of a user share one; the folder it points to keeps its own mode.
 * Windows has a loopback port and a generated password instead.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import type { DatabaseTarget } from "../pg/db.ts";
import { ClusterError } from "./errors.ts";
import type { ClusterFolders } from "./folders.ts";

/** Names the socket only: nothing listens on this port. */
export const SOCKET_PORT = 5432;
/** The superuser, and the only user, of an embedded cluster. */
export const CLUSTER_USER = "rootcellar";
/** The database that initdb makes: using it leaves nothing to create later. */
export const CLUSTER_DATABASE = "postgres";

const MAX_SOCKET_PATH_BYTES = Deno.build.os === "linux" ? 107 : 103;
const LINK_ATTEMPTS = 8;

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
  if (await isOurLink(target.directory, folders.run)) {
    await Deno.remove(target.directory).catch(() => {});
  }
}

function fits(directory: string): boolean {
  const path = `${directory}/.s.PGSQL.${SOCKET_PORT}`;
  return new TextEncoder().encode(path).length <= MAX_SOCKET_PATH_BYTES;
}

async function shortLink(folders: ClusterFolders): Promise<string> {
  const hash = createHash("sha256").update(folders.run).digest("hex");
  const name = `rootcellar-${Deno.uid()}-${hash.slice(0, 16)}`;
  const parents = [tmpdir(), "/tmp"].filter((path) =>
    fits(`${path}/${name}-0`)
  );
  for (const parent of parents) {
    for (let attempt = 0; attempt < LINK_ATTEMPTS; attempt++) {
      const link = `${parent}/${name}${attempt === 0 ? "" : `-${attempt}`}`;
      if (await ensureLink(link, folders.run)) return link;
    }
  }
  throw new ClusterError(
    "unusable_home",
    `Cannot use the home "${folders.home}": its path is too long for a socket, and no link to it can be made in "${tmpdir()}"; set ROOTCELLAR_HOME to a shorter path`,
  );
}

async function ensureLink(link: string, target: string): Promise<boolean> {
  if (await isOurLink(link, target)) return true;
  try {
    await Deno.symlink(target, link);
    return true;
  } catch {
    // Taken: by a process of ours a moment ago, or by a stranger.
    return await isOurLink(link, target);
  }
}

/** A link counts when it is this user's own and says what we would write. */
async function isOurLink(link: string, target: string): Promise<boolean> {
  try {
    const info = await Deno.lstat(link);
    return info.isSymlink && info.uid === Deno.uid() &&
      await Deno.readLink(link) === target;
  } catch {
    return false;
  }
}

/** Reads or chooses the port and the password (Windows). */
async function loopback(
  folders: ClusterFolders,
): Promise<{ port: number; password: string }> {
  const path = `${folders.run}/endpoint.json`;
  const known = await readLoopback(path);
  if (known !== undefined) return known;
  const chosen = { port: freePort(), password: crypto.randomUUID() };
  const temporary = `${path}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(temporary, JSON.stringify(chosen), { mode: 0o600 });
  try {
    // A hard link, unlike a rename, fails when another process was first.
    await Deno.link(temporary, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    await Deno.remove(temporary);
  }
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
