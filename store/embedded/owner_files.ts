/**
 * Files in the folders of a cluster, handled with the rights of their owner.
 *
 * As root, the folders belong to a lesser user, who may put a link in the place
 * of anything there at any moment, also between a look and a deed. So root
 * changes nothing in them by name: a program that runs as the owner does, and
 * reaches what the owner reaches, wherever a link leads. What root opens itself
 * it opens without making or cutting it, and closes it again unless the open
 * file is the owner's. Deno follows links before it opens, so that no flag of
 * the system would spare this.
 *
 * Each function takes the owner, or undefined where this process's own user
 * will do.
 *
 * @module
 */
import { ClusterError } from "./errors.ts";
import { decode, ownerCommand } from "./process.ts";
import type { Owner } from "./user.ts";

/** The user to act as; undefined is this process's own. */
export type Actor = Owner | undefined;

const PRIVATE_MODE = 0o700;
/** A file that comes and goes between a look and a deed is tried again. */
const OPEN_ATTEMPTS = 5;

/** Makes the folder $1; another process may be first, up to the deed itself. */
export const MAKE_FOLDER = 'mkdir -m 700 -- "$1" || [ -d "$1" ]';

/** Makes the links $2, $4, … to $1, $3, …; another process may be first. */
export const MAKE_LINKS = `while [ $# -gt 0 ]; do
    [ -e "$2" ] || [ -L "$2" ] || ln -s -- "$1" "$2" || [ -L "$2" ] || exit
    shift 2
  done`;

/** Makes a private folder unless there is one. */
export async function makeFolder(path: string, actor: Actor): Promise<void> {
  if (actor !== undefined) {
    return await run(actor, MAKE_FOLDER, path);
  }
  try {
    await Deno.mkdir(path, { mode: PRIVATE_MODE });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    if (!await isFolder(path)) throw error;
  }
}

/** Makes a private folder and those above it that are missing. */
export async function makeFolders(path: string, actor: Actor): Promise<void> {
  if (actor === undefined) {
    await Deno.mkdir(path, { recursive: true, mode: PRIVATE_MODE });
  } else await run(actor, 'mkdir -p -m 700 -- "$1"', path);
}

/** Sets the mode of a folder. */
export async function changeMode(
  path: string,
  mode: number,
  actor: Actor,
): Promise<void> {
  if (Deno.build.os === "windows") return;
  if (actor === undefined) return await Deno.chmod(path, mode);
  await run(actor, 'chmod -- "$2" "$1"', path, mode.toString(8));
}

/** Gives a file or an empty folder another name, over what has that name. */
export async function rename(
  from: string,
  to: string,
  actor: Actor,
): Promise<void> {
  if (actor === undefined) return await Deno.rename(from, to);
  // mv would go into a folder, or into one that a link names.
  const script = `if [ -L "$2" ]; then rm -f -- "$2"; fi
    if [ -d "$2" ]; then rmdir -- "$2" || exit; fi
    mv -f -- "$1" "$2"`;
  await run(actor, script, from, to);
}

/** Removes a file, or a folder and what is in it; what is gone is no error. */
export async function remove(path: string, actor: Actor): Promise<void> {
  if (actor !== undefined) return await run(actor, 'rm -rf -- "$1"', path);
  await Deno.remove(path, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

/** Replaces a private file as a whole, by way of another name. */
export async function replaceFile(
  path: string,
  text: string,
  options: { readonly by: string; readonly actor: Actor },
): Promise<void> {
  const { by, actor } = options;
  if (actor === undefined) {
    await Deno.writeTextFile(by, text, { mode: 0o600 });
    return await Deno.rename(by, path);
  }
  // Through a pipe: an argument has less room than a catalog takes.
  const script = `rm -f -- "$2" && set -C && cat > "$2" && mv -f -- "$2" "$1"`;
  await run(actor, [script, text], path, by);
}

/** Sets when a file was written; one that is gone is left so. */
export async function setTimes(
  path: string,
  at: Date,
  actor: Actor,
): Promise<void> {
  if (actor !== undefined) {
    const script = 'touch -c -h -d "$2" -- "$1"';
    return await run(actor, script, path, at.toISOString());
  }
  await Deno.utime(path, at, at).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

/**
 * Makes a private file of which of many processes one is the author: it appears
 * whole, and one that is there stays.
 */
export async function writeOnce(
  path: string,
  text: string,
  actor: Actor,
): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}`;
  if (actor !== undefined) {
    const script = `set -C
      printf %s "$3" > "$2" || exit
      ln -- "$2" "$1" || [ -e "$1" ]
      ok=$?; rm -f -- "$2"; exit $ok`;
    return await run(actor, script, path, draft, text);
  }
  await Deno.writeTextFile(draft, text, { mode: 0o600, createNew: true });
  try {
    // A hard link, unlike a rename, fails when another process was first.
    await Deno.link(draft, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    await Deno.remove(draft);
  }
}

/** A symbolic link to make. */
export interface SymbolicLink {
  /** Path of the link. */
  readonly at: string;
  /** What it says. */
  readonly to: string;
}

/** Makes symbolic links, where nothing is there yet. */
export async function makeLinks(
  links: readonly SymbolicLink[],
  actor: Actor,
): Promise<void> {
  if (actor !== undefined) {
    const words = links.flatMap(({ at, to }) => [to, at]);
    return await run(actor, MAKE_LINKS, ...words);
  }
  for (const { at, to } of links) {
    await Deno.symlink(to, at).catch((error) => {
      // An installer that keeps links has made them already.
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    });
  }
}

/** The content of a file; undefined where there is none. */
export async function readFile(
  path: string,
  actor: Actor,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    if (actor === undefined) return await Deno.readFile(path);
    await Deno.stat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  const { success, stdout, stderr } = await ownerCommand(actor, "/bin/cat", [
    "--",
    path,
  ]).output();
  if (!success) throw new Error(lastLine(decode(stderr)));
  return stdout;
}

/** A file that was read. */
export interface PlainFile {
  /** Its content. */
  readonly text: string;
  /** When it was last written. */
  readonly writtenAt: Date;
}

/**
 * Reads a text file; undefined where there is none. For an owner it must be a
 * file itself, no link to one, and the owner's or root's: root may have made it
 * before the folder was another's.
 *
 * @throws {ClusterError} Code `unusable_home` when it is not.
 */
export async function readPlainFile(
  path: string,
  actor: Actor,
): Promise<PlainFile | undefined> {
  let opened: Deno.FsFile;
  try {
    // For writing as well: a pipe in its place would keep a reader waiting.
    const write = actor !== undefined;
    opened = await Deno.open(path, { read: true, write });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw actor === undefined ? error : foreign(path, actor);
  }
  using file = opened;
  const { mtime, isFile, uid, ino, dev } = await file.stat();
  if (actor !== undefined) {
    const entry = await Deno.lstat(path);
    // Nobody but root makes another name of a file of root's.
    const isItself = entry.isFile && entry.nlink === 1 && entry.ino === ino &&
      entry.dev === dev;
    const isKnown = uid === 0 || uid === actor.uid;
    if (!isFile || !isItself || !isKnown) throw foreign(path, actor);
  }
  const text = await new Response(file.readable).text();
  return { text, writtenAt: mtime ?? new Date(0) };
}

/**
 * Opens a file that is there for reading and writing; undefined where there is
 * none. Never makes one.
 *
 * @throws {ClusterError} Code `unusable_home` when it is not the owner's.
 */
export async function openFile(
  path: string,
  actor: Actor,
): Promise<Deno.FsFile | undefined> {
  let file: Deno.FsFile;
  try {
    // For writing as well: a pipe in its place would keep a reader waiting.
    file = await Deno.open(path, { read: true, write: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    // A folder, a device, a circle of links.
    throw actor === undefined ? error : foreign(path, actor);
  }
  try {
    const { isFile, uid } = await file.stat();
    if (actor === undefined || (isFile && uid === actor.uid)) return file;
  } catch (error) {
    file.close();
    throw error;
  }
  file.close();
  throw foreign(path, actor);
}

/** Opens a private file as `openFile` does, and makes it where it is missing. */
export async function openOrMakeFile(
  path: string,
  actor: Actor,
): Promise<Deno.FsFile> {
  if (actor === undefined) {
    return await Deno.open(path, {
      read: true,
      write: true,
      create: true,
      mode: 0o600,
    });
  }
  for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt++) {
    const file = await openFile(path, actor);
    if (file !== undefined) return file;
    const script = '[ -e "$1" ] || [ -L "$1" ] || { set -C; : > "$1"; }';
    await run(actor, script, path).catch(async (error) => {
      // Another process was first.
      if (await Deno.lstat(path).catch(() => undefined) === undefined) {
        throw error;
      }
    });
  }
  throw foreign(path, actor);
}

/** Refuses something in a cluster's folder that does not belong to its owner. */
export function foreign(path: string, owner: Owner): ClusterError {
  return new ClusterError(
    "unusable_home",
    `Cannot use "${path}" as root: it must belong to user ${owner.uid}, as the cluster does, and does not; look who put it there, and give it back or remove it`,
  );
}

/** Whether a folder is there, or a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  return (await Deno.stat(path).catch(() => undefined))?.isDirectory === true;
}

/** Runs a script, or one and what it reads. */
async function run(
  actor: Owner,
  work: string | readonly [script: string, input: string],
  ...args: readonly string[]
): Promise<void> {
  const [script, input] = typeof work === "string" ? [work] : work;
  const child = ownerCommand(
    actor,
    "/bin/sh",
    ["-c", `umask 077\n${script}`, "sh", ...args],
    { stdin: input === undefined ? "null" : "piped" },
  ).spawn();
  const [{ success, stderr }] = await Promise.all([
    child.output(),
    // A script that failed reads no more; it says why.
    input === undefined
      ? undefined
      : new Blob([input]).stream().pipeTo(child.stdin).catch(() => {}),
  ]);
  if (!success) throw new Error(lastLine(decode(stderr)));
}

/** What a program of the system complained of, without its name. */
function lastLine(text: string): string {
  const line = text.trim().split("\n").at(-1) ?? "";
  return line.replace(/^.*: (?=[^:]+$)/, "") || "not allowed";
}
