/**
 * The folders of a home: made on first use, private, and reachable for the user
 * that PostgreSQL runs as.
 *
 * Run as root, a home below a folder that this user cannot enter (`/root`, a
 * private temporary folder) keeps its cluster in `/var/lib/rootcellar/clusters`
 * and links there. The name there is random, so that a home that is deleted
 * and made anew never finds old data.
 *
 * @module
 */
import { dirname, resolve } from "node:path";
import { ClusterError, messageOf } from "./errors.ts";
import { canEnter, chooseOwner, isUserFolder, type Owner } from "./user.ts";

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
  /** Who owns them, where that is not this process's user. */
  readonly owner: Owner | undefined;
}

const PRIVATE_MODE = 0o700;
const CLUSTERS = "/var/lib/rootcellar/clusters";
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
    return await makeFolders(path);
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
    const owner = await chooseOwner(`${base}/data`, base);
    return layout(path, base, owner);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if (error instanceof Deno.errors.NotADirectory) return undefined;
    throw toHomeError(path, error);
  }
}

async function makeFolders(home: string): Promise<ClusterFolders> {
  const isPristine = await makeHome(home);
  const { base, owner } = await chooseBase(home, isPristine);
  const folders = layout(home, base, owner);
  for (const path of [folders.pg, folders.run, folders.log]) {
    await makePrivate(path, owner);
  }
  return folders;
}

/** Makes the home; answers whether it is empty. */
async function makeHome(home: string): Promise<boolean> {
  const isRoot = Deno.build.os !== "windows" && Deno.uid() === 0;
  await Deno.mkdir(dirname(home), {
    recursive: true,
    mode: isRoot ? 0o755 : PRIVATE_MODE,
  });
  await makeFolder(home);
  for await (const _ of Deno.readDir(home)) return false;
  // A folder that others filled keeps its mode: what is private is inside.
  await changeMode(home, PRIVATE_MODE);
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
  const owner = await chooseOwner(`${base}/data`, base);
  if (owner === undefined || target !== undefined) return { base, owner };
  if (await canReach(dirname(real), owner)) {
    if (isPristine || await isOursToGive(real)) {
      await Deno.chown(real, owner.uid, owner.gid);
    }
    if (await canEnter(real, owner)) return { base: real, owner };
  }
  if (await isFolder(`${real}/data`)) return { base: real, owner };
  const elsewhere = await placeElsewhere(home);
  return {
    base: elsewhere,
    owner: await chooseOwner(`${elsewhere}/data`, elsewhere),
  };
}

/** Whether handing a filled home to another user can surprise nobody. */
async function isOursToGive(home: string): Promise<boolean> {
  const { uid, mode } = await Deno.stat(home);
  return uid === 0 && ((mode ?? 0) & 0o077) === 0 &&
    dirname(home) !== "/" && !await isUserFolder(home);
}

async function canReach(path: string, owner: Owner): Promise<boolean> {
  for (let at = path;; at = dirname(at)) {
    if (!await canEnter(at, owner)) return false;
    if (at === dirname(at)) return true;
  }
}

/** Makes a cluster folder outside the home, and the link to it. */
async function placeElsewhere(home: string): Promise<string> {
  // Without an owner of the home's own choosing: its user cannot come here.
  const owner = await chooseOwner(`${CLUSTERS}/none`, `${CLUSTERS}/none`);
  await Deno.mkdir(CLUSTERS, { recursive: true, mode: 0o755 });
  for (const parent of [dirname(CLUSTERS), CLUSTERS]) {
    if (owner === undefined || await canEnter(parent, owner)) continue;
    const { mode } = await Deno.stat(parent);
    await Deno.chmod(parent, ((mode ?? 0) & 0o777) | 0o011);
  }
  const folder = `${CLUSTERS}/${crypto.randomUUID()}`;
  await makePrivate(folder, owner);
  try {
    await Deno.symlink(folder, `${home}/cluster`);
    return folder;
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    // Another process was first; its choice holds for all.
    await Deno.remove(folder);
    return await linkTarget(home) ?? folder;
  }
}

async function linkTarget(home: string): Promise<string | undefined> {
  const link = `${home}/cluster`;
  const info = await Deno.lstat(link).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  });
  if (!info?.isSymlink) return undefined;
  const target = await Deno.readLink(link);
  if (await isFolder(target)) return await Deno.realPath(target);
  throw new ClusterError(
    "missing_cluster",
    `Cannot find the data of the home "${home}": its link "${link}" points to "${target}", which is gone; bring that folder back, or remove the link to start empty`,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return (await Deno.stat(path).catch(() => undefined))?.isDirectory === true;
}

async function makePrivate(
  path: string,
  owner: Owner | undefined,
): Promise<void> {
  await makeFolder(path);
  const { uid } = await Deno.stat(path);
  if (owner !== undefined && uid !== owner.uid) {
    await Deno.chown(path, owner.uid, owner.gid);
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await Deno.mkdir(path, { mode: PRIVATE_MODE });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    if (!await isFolder(path)) throw error;
  }
}

async function changeMode(path: string, mode: number): Promise<void> {
  if (Deno.build.os === "windows") return;
  await Deno.chmod(path, mode);
}

function layout(
  home: string,
  base: string,
  owner: Owner | undefined,
): ClusterFolders {
  return {
    home,
    base,
    pg: `${base}/pg`,
    data: `${base}/data`,
    run: `${base}/run`,
    log: `${base}/log`,
    owner,
  };
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
