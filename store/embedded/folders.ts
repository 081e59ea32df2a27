/**
 * The folders of a home: made on first use, private, and reachable for the user
 * that PostgreSQL runs as.
 *
 * Run as root, a home below a folder that this user cannot enter (`/root`, a
 * private temporary folder) keeps its cluster in `/var/lib/rootcellar/clusters`
 * and links there. The name there is random, so that a home that is deleted
 * and made anew never finds old data.
 *
 * As root nothing is given away that somebody else could have put there: only
 * what lies where root alone can change names. The home itself stays root's, and
 * PostgreSQL's user may only pass through it: what else is kept in it (the API
 * key, copies of catalogs) is nobody else's to replace.
 *
 * @module
 */
import { dirname, resolve } from "node:path";
import { ClusterError, messageOf } from "./errors.ts";
import { NAMES } from "./names.ts";
import {
  type Actor,
  changeMode,
  foreign,
  isFolder,
  makeFolder,
  makeFolders,
} from "./owner_files.ts";
import {
  canEnter,
  canReach,
  chooseOwner,
  isRootsAlone,
  isUserFolder,
  lesserAbove,
  type Owner,
} from "./user.ts";

/** Where the parts of a cluster lie. */
export interface ClusterFolders {
  /** The data folder that the operator named. */
  readonly home: string;
  /** What holds the four folders below: the home, or what it links to. */
  readonly base: string;
  /** Binaries, one folder for each version. */
  readonly pg: string;
  /** The cluster itself. */
  readonly data: string;
  /** Socket and locks. */
  readonly run: string;
  /** The server's log. */
  readonly log: string;
  /** Path of each fixed name in them. */
  readonly files: Readonly<Record<keyof typeof NAMES, string>>;
  /** Who owns them, where that is not this process's user. */
  readonly owner: Owner | undefined;
  /** Who makes and renames what lies directly in `base`. */
  readonly holder: Actor;
}

const PRIVATE_MODE = 0o700;
/** Others may pass through, and see no names. */
const PASSAGE_MODE = 0o711;
/** In the home, where its cluster lies elsewhere. */
const CLUSTER_LINK = "cluster";
/** The second is for machines where the first's parent is a home, and given. */
const CLUSTERS: readonly string[] = [
  "/var/lib/rootcellar/clusters",
  "/var/lib/rootcellar-clusters",
];
/** What the shell lines inside pg_ctl and initdb would not pass on unharmed. */
const UNSAFE_REGEXP = /["$`\\\n\r]/;

/**
 * Makes what is missing of a home.
 *
 * @throws {ClusterError} Codes `unwritable_home`, `unusable_home`,
 * `missing_cluster` and `no_server_user`.
 */
export async function prepareFolders(home: string): Promise<ClusterFolders> {
  const path = resolve(home);
  if (Deno.build.os !== "windows" && UNSAFE_REGEXP.test(path)) {
    throw new ClusterError(
      "unusable_home",
      `Cannot use the home ${
        JSON.stringify(path)
      }: its path holds a quote, a backslash, a dollar sign or a line break; set ROOTCELLAR_HOME to another folder`,
    );
  }
  try {
    return await makeAll(path);
  } catch (error) {
    throw toHomeError(path, error);
  }
}

/** Turns a failed file operation into the operator's line about the home. */
export function toHomeError(home: string, error: unknown): unknown {
  if (error instanceof ClusterError || error instanceof TypeError) return error;
  return new ClusterError(
    "unwritable_home",
    `Cannot write to the home "${home}": ${
      reasonOf(error)
    }; set ROOTCELLAR_HOME to a folder that this user may write, or set DATABASE_URL`,
    { cause: error },
  );
}

/** Reads where the cluster of a home lies; makes nothing. */
export async function findFolders(
  home: string,
): Promise<ClusterFolders | undefined> {
  const path = resolve(home);
  try {
    const base = await linkTarget(path) ?? await Deno.realPath(path);
    await Deno.stat(`${base}/run`);
    const owner = await chooseOwner(base);
    return await layout(path, base, owner);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof Deno.errors.NotADirectory) return undefined;
    throw toHomeError(path, error);
  }
}

async function makeAll(home: string): Promise<ClusterFolders> {
  const isPristine = await makeHome(home);
  const { base, owner } = await chooseBase(home, isPristine);
  const folders = await layout(home, base, owner);
  for (const path of [folders.pg, folders.run, folders.log]) {
    await makePart(folders, path);
  }
  return folders;
}

/** Makes the home; answers whether it is empty. */
async function makeHome(home: string): Promise<boolean> {
  const above = dirname(home);
  if (isRoot()) {
    // Below a lesser user's folder the home is made with that user's rights.
    const user = await lesserAbove(home);
    if (user === undefined) {
      await Deno.mkdir(above, { recursive: true, mode: 0o755 });
      await makeFolder(home, undefined);
    } else if (!await isFolder(home)) await makeFolders(home, user);
  } else {
    await makeFolders(above, undefined);
    await makeFolder(home, undefined);
  }
  for await (const _ of Deno.readDir(home)) return false;
  // A folder that others filled keeps its mode: what is private is inside.
  const { uid, gid } = await Deno.stat(home);
  const user = isRoot() && uid !== null && uid !== 0
    ? { uid, gid: gid ?? uid }
    : undefined;
  if (user !== undefined || !isRoot()) {
    await changeMode(home, PRIVATE_MODE, user);
  } else if (await isFixed(home)) {
    // Never narrower and then wider: others that start now are on their way.
    await changeMode(home, PASSAGE_MODE, undefined);
  }
  return true;
}

/** Chooses the folder of the cluster and, for root, its owner. */
async function chooseBase(
  home: string,
  isPristine: boolean,
): Promise<{ base: string; owner: Owner | undefined }> {
  const real = await Deno.realPath(home);
  const target = await linkTarget(home);
  const base = target ?? real;
  const owner = await chooseOwner(base);
  if (owner === undefined || target !== undefined) return { base, owner };
  const mayGive = await isFixed(home);
  if (await canReach(dirname(real), owner)) {
    const isClosed = !await canEnter(real, owner);
    if (isClosed && mayGive && (isPristine || await isOursToOpen(real))) {
      await changeMode(real, PASSAGE_MODE, undefined);
    }
    if (await canEnter(real, owner)) return { base: real, owner };
  }
  if (await isFolder(`${real}/${NAMES.data}`)) return { base: real, owner };
  if (!mayGive) {
    throw new ClusterError(
      "unusable_home",
      `Cannot use the home "${home}" as root: another user may put something else in its place; run as the user it belongs to, or set ROOTCELLAR_HOME to a folder below which only root may write`,
    );
  }
  const elsewhere = await placeElsewhere(home);
  return { base: elsewhere, owner: await chooseOwner(elsewhere) };
}

/** Whether only root decides what is found at this path. */
async function isFixed(path: string): Promise<boolean> {
  return await isRootsAlone(path) &&
    await isRootsAlone(await Deno.realPath(path));
}

/** Whether letting others through a filled home can surprise nobody. */
async function isOursToOpen(home: string): Promise<boolean> {
  const { uid, mode } = await Deno.stat(home);
  return uid === 0 && ((mode ?? 0) & 0o077) === 0 &&
    dirname(home) !== "/" && !await isUserFolder(home);
}

/** Makes a cluster folder outside the home, and the link to it. */
async function placeElsewhere(home: string): Promise<string> {
  const clusters = await clustersFolder();
  // Without an owner of the home's own choosing: its user cannot come here.
  const owner = await chooseOwner(`${clusters}/none`);
  await Deno.mkdir(clusters, { recursive: true, mode: 0o755 });
  for (const parent of [dirname(clusters), clusters]) {
    if (owner === undefined || await canEnter(parent, owner)) continue;
    const { mode } = await Deno.stat(parent);
    await Deno.chmod(parent, ((mode ?? 0) & 0o777) | 0o011);
  }
  const folder = `${clusters}/${crypto.randomUUID()}`;
  await Deno.mkdir(folder, { mode: PRIVATE_MODE });
  if (owner !== undefined) await Deno.chown(folder, owner.uid, owner.gid);
  try {
    await Deno.symlink(folder, `${home}/${CLUSTER_LINK}`);
    return folder;
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    // Another process was first; its choice holds for all.
    await Deno.remove(folder);
    return await linkTarget(home) ?? folder;
  }
}

async function clustersFolder(): Promise<string> {
  for (const path of CLUSTERS) {
    if (await isRootsAlone(`${path}/any`)) return path;
  }
  throw new ClusterError(
    "unusable_home",
    `Cannot make a folder for the cluster in ${
      CLUSTERS.join(" or ")
    }: others than root may write above it; set ROOTCELLAR_HOME to a folder that PostgreSQL's user can enter`,
  );
}

async function linkTarget(home: string): Promise<string | undefined> {
  const link = `${home}/${CLUSTER_LINK}`;
  const info = await Deno.lstat(link).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  });
  if (!info?.isSymlink) return undefined;
  const target = await Deno.readLink(link);
  // Where another user may write, that user may also have made the link.
  const isRoots = info.uid === 0 &&
    (CLUSTERS.includes(dirname(target)) || await isRootsAlone(link));
  if (isRoot() && !isRoots) {
    throw new ClusterError(
      "unusable_home",
      `Cannot use the home "${home}" as root: its link "${link}" is not root's; look who made it, and remove it`,
    );
  }
  if (await isFolder(target)) return await Deno.realPath(target);
  throw new ClusterError(
    "missing_cluster",
    `Cannot find the data of the home "${home}": its link "${link}" points to "${target}", which is gone; bring that folder back, or remove the link to start empty`,
  );
}

/** Makes a folder of the cluster, its owner's where that is another user. */
async function makePart(folders: ClusterFolders, path: string): Promise<void> {
  const { owner, holder } = folders;
  await makeFolder(path, holder);
  if (owner === undefined) return;
  if ((await Deno.stat(path)).uid === owner.uid) return;
  const isOurs = holder === undefined && (await Deno.lstat(path)).isDirectory;
  if (!isOurs) throw foreign(path, owner);
  await Deno.chown(path, owner.uid, owner.gid);
}

async function layout(
  home: string,
  base: string,
  owner: Owner | undefined,
): Promise<ClusterFolders> {
  const files = Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [key, `${base}/${name}`]),
  ) as Record<keyof typeof NAMES, string>; // The same keys.
  const { pg, data, run, log } = files;
  const isRootsOwn = owner !== undefined &&
    (await Deno.stat(base)).uid === 0 && await isRootsAlone(`${base}/any`);
  const holder = isRootsOwn ? undefined : owner;
  return { home, base, pg, data, run, log, files, owner, holder };
}

function isRoot(): boolean {
  return Deno.build.os !== "windows" && Deno.uid() === 0;
}

function reasonOf(error: unknown): string {
  // Deno refuses folders of the system on its own, with advice for developers.
  if (error instanceof Deno.errors.NotCapable) return "permission denied";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.NotADirectory) return "a file is in the way";
  if (error instanceof Deno.errors.AlreadyExists) return "a file is in the way";
  // Drops what Deno adds: the error number and the name of the call.
  return messageOf(error).replace(/ \(os error \d+\).*$/s, "");
}
