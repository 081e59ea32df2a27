/**
 * Who PostgreSQL runs as.
 *
 * PostgreSQL and initdb refuse root. Started as root they run as another user
 * that the machine already has; started as anyone else they run as that user
 * and nothing here applies. The machine's users are never changed.
 *
 * @module
 */
import { dirname } from "node:path";
import { ClusterError } from "./errors.ts";
import { NAMES } from "./names.ts";

/** A user other than the one this process runs as. */
export interface Owner {
  /** User id. */
  readonly uid: number;
  /** Group id. */
  readonly gid: number;
}

interface PasswdEntry extends Owner {
  readonly name: string;
  readonly directory: string;
}

const SERVER_USERS = ["rootcellar", "postgres", "nobody"];

/** Reads the lines of a passwd file; lines that make no sense are left out. */
export function parsePasswd(text: string): PasswdEntry[] {
  return text.split("\n").flatMap((line) => {
    const [name, , uid, gid, , directory] = line.split(":");
    const entry = {
      name: name ?? "",
      uid: Number(uid),
      gid: Number(gid),
      directory: directory ?? "",
    };
    const ok = uid !== undefined && gid !== undefined && entry.name !== "" &&
      uid !== "" && gid !== "" &&
      Number.isInteger(entry.uid) && Number.isInteger(entry.gid);
    return ok ? [entry] : [];
  });
}

/**
 * Chooses the user for PostgreSQL in a cluster's folder, or undefined where
 * this process's own user will do.
 *
 * The owner of the folder wins (one that was given, or a user's folder used
 * through sudo): who owns it decides what lies in it, and must not get at other
 * users by it. A folder of root, or of an id that is no user here (a mounted
 * one), leaves it to the owner of existing data, then to the first of a few
 * names.
 *
 * @throws {ClusterError} Code `no_server_user`.
 */
export async function chooseOwner(base: string): Promise<Owner | undefined> {
  if (Deno.build.os === "windows" || Deno.uid() !== 0) return undefined;
  const entries = await readPasswd();
  const holder = await ownerOf(base);
  const user = entries.find(({ uid }) => uid !== 0 && uid === holder?.uid);
  // With the user's own group: the folder's may be root's.
  if (user !== undefined) return { uid: user.uid, gid: user.gid };
  const dataOwner = await ownerOf(`${base}/${NAMES.data}`);
  if (dataOwner !== undefined && dataOwner.uid !== 0) return dataOwner;
  for (const name of SERVER_USERS) {
    const entry = entries.find((each) => each.name === name && each.uid !== 0);
    if (entry !== undefined) return { uid: entry.uid, gid: entry.gid };
  }
  throw new ClusterError(
    "no_server_user",
    `Cannot run PostgreSQL: it refuses root, and none of the users ${
      SERVER_USERS.join(", ")
    } exists; run as another user, or set DATABASE_URL`,
  );
}

/** Whether a folder is the home folder of one of the machine's users. */
export async function isUserFolder(path: string): Promise<boolean> {
  const entries = await readPasswd();
  return entries.some(({ directory }) =>
    directory !== "" && directory.replace(/\/+$/, "") === path
  );
}

/** Whether the owner may pass through a folder, by its mode bits. */
export async function canEnter(path: string, owner: Owner): Promise<boolean> {
  const { uid, gid, mode } = await Deno.stat(path);
  const bits = mode ?? 0;
  if (uid === owner.uid) return (bits & 0o100) !== 0;
  if (gid === owner.gid) return (bits & 0o010) !== 0;
  return (bits & 0o001) !== 0;
}

/** Whether the owner may pass through a folder and all above it. */
export async function canReach(path: string, owner: Owner): Promise<boolean> {
  for (const at of [path, ...foldersAbove(path)]) {
    if (!await canEnter(at, owner)) return false;
  }
  return true;
}

/**
 * Whether root alone can change what is found at a path: nobody else may write
 * in the folders above, or only in ones where all keep what they have made.
 */
export async function isRootsAlone(path: string): Promise<boolean> {
  let below = path;
  for (const folder of foldersAbove(path)) {
    const info = await Deno.stat(folder).catch(() => undefined);
    const entry = await Deno.lstat(below).catch(() => undefined);
    below = folder;
    if (info === undefined) continue; // Root will have made it.
    if (info.uid !== 0) return false;
    const mode = info.mode ?? 0;
    const isShared = (mode & 0o002) !== 0 ||
      ((mode & 0o020) !== 0 && info.gid !== 0);
    const isSticky = (mode & 0o1000) !== 0;
    if (isShared && !(isSticky && (entry === undefined || entry.uid === 0))) {
      return false;
    }
  }
  return true;
}

/** The first user on the way down to a path, other than root, to own a folder. */
export async function lesserAbove(path: string): Promise<Owner | undefined> {
  for (const folder of foldersAbove(path).reverse()) {
    const owner = await ownerOf(folder);
    if (owner !== undefined && owner.uid !== 0) return owner;
  }
  return undefined;
}

/** The folders above a path, the nearest first. */
function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let at = path; at !== dirname(at);) {
    at = dirname(at);
    folders.push(at);
  }
  return folders;
}

async function ownerOf(path: string): Promise<Owner | undefined> {
  const info = await Deno.stat(path).catch(() => undefined);
  if (info?.uid === undefined || info.uid === null) return undefined;
  return { uid: info.uid, gid: info.gid ?? info.uid };
}

async function readPasswd(): Promise<PasswdEntry[]> {
  return parsePasswd(await Deno.readTextFile("/etc/passwd").catch(() => ""));
}
