/**
 * Who PostgreSQL runs as.
 *
 * PostgreSQL and initdb refuse root. Started as root they run as another user
 * that the machine already has; started as anyone else they run as that user
 * and nothing here applies. The machine's users are never changed.
 *
 * @module
 */
import { ClusterError } from "./errors.ts";

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
 * Chooses the user for PostgreSQL, or undefined where this process's own user
 * will do.
 *
 * The owner of existing data wins, then the owner of the home (a mounted
 * folder, a user's folder used through sudo), then the first of a few names.
 *
 * @throws {ClusterError} Code `no_server_user`.
 */
export async function chooseOwner(
  data: string,
  home: string,
): Promise<Owner | undefined> {
  if (Deno.build.os === "windows" || Deno.uid() !== 0) return undefined;
  const dataOwner = await ownerOf(data);
  if (dataOwner !== undefined && dataOwner.uid !== 0) return dataOwner;
  const entries = await readPasswd();
  const homeOwner = await ownerOf(home);
  const byHome = entries.find((entry) =>
    entry.uid !== 0 && entry.uid === homeOwner?.uid
  );
  if (byHome !== undefined && homeOwner !== undefined) return homeOwner;
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

async function ownerOf(path: string): Promise<Owner | undefined> {
  const info = await Deno.stat(path).catch(() => undefined);
  if (info?.uid === undefined || info.uid === null) return undefined;
  return { uid: info.uid, gid: info.gid ?? info.uid };
}

async function readPasswd(): Promise<PasswdEntry[]> {
  return parsePasswd(await Deno.readTextFile("/etc/passwd").catch(() => ""));
}
