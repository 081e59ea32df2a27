/**
 * The copy of PostgreSQL's binaries in the home.
 *
 * npm drops symbolic links, and root's package cache is closed to the user that
 * PostgreSQL runs as: so the files are copied once and the links made again.
 * The copy appears under its name only when it is complete.
 *
 * @module
 */
import { dirname, relative } from "node:path";
import { ClusterError, messageOf } from "./errors.ts";
import type { ClusterFolders } from "./folders.ts";
import type { BinaryPackage } from "./locate.ts";
import type { Owner } from "./user.ts";

/** What a running server never reads. */
const UNUSED_REGEXP = /^(include|pkgconfig|.*\.a)$/;
const LINKS_FILE = "pg-symlinks.json";

/**
 * Copies the binaries unless the copy is there; answers its folder. The caller
 * holds the start lock.
 *
 * @throws {ClusterError} Code `unpack_failed`.
 */
export async function unpackBinaries(
  folders: ClusterFolders,
  source: BinaryPackage,
  onCopy: () => void,
): Promise<string> {
  const target = `${folders.pg}/${source.version}`;
  if (await isComplete(source, target)) return target;
  onCopy();
  const temporary = `${target}.new-${crypto.randomUUID().slice(0, 8)}`;
  try {
    await removeLeftovers(folders.pg, target);
    await copyFolder(`${source.directory}/native`, temporary, folders.owner);
    await makeLinks(source, temporary);
    await Deno.remove(target, { recursive: true }).catch(() => {});
    await Deno.rename(temporary, target);
    return target;
  } catch (cause) {
    await Deno.remove(temporary, { recursive: true }).catch(() => {});
    throw new ClusterError(
      "unpack_failed",
      `Cannot unpack PostgreSQL into "${folders.pg}": ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** Removes binaries of other versions. Only while no server runs from them. */
export async function removeOtherVersions(
  folders: ClusterFolders,
  source: BinaryPackage,
): Promise<void> {
  for await (const { name } of Deno.readDir(folders.pg)) {
    if (name === source.version) continue;
    await Deno.remove(`${folders.pg}/${name}`, { recursive: true })
      .catch(() => {});
  }
}

/**
 * Compares sizes of programs and libraries: after a power cut a file can be
 * there without its content.
 */
async function isComplete(
  source: BinaryPackage,
  target: string,
): Promise<boolean> {
  for (const part of ["bin", "lib"]) {
    const from = `${source.directory}/native/${part}`;
    for await (const { name, isFile } of Deno.readDir(from)) {
      if (!isFile || UNUSED_REGEXP.test(name)) continue;
      const copy = await Deno.stat(`${target}/${part}/${name}`)
        .catch(() => undefined);
      const original = await Deno.stat(`${from}/${name}`);
      if (copy?.size !== original.size) return false;
    }
  }
  return true;
}

async function removeLeftovers(pg: string, target: string): Promise<void> {
  for await (const { name } of Deno.readDir(pg)) {
    const path = `${pg}/${name}`;
    if (!path.startsWith(`${target}.new-`)) continue;
    await Deno.remove(path, { recursive: true }).catch(() => {});
  }
}

/** Copies one file after the other in a folder, folders side by side. */
async function copyFolder(
  from: string,
  to: string,
  owner: Owner | undefined,
): Promise<void> {
  await Deno.mkdir(to, { mode: 0o700 });
  const folders: string[] = [];
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    if (UNUSED_REGEXP.test(name) || name === LINKS_FILE) continue;
    if (isDirectory) folders.push(name);
    if (!isFile) continue;
    await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
    await give(`${to}/${name}`, owner);
  }
  // All end before this does: a failed copy is removed after it.
  const results = await Promise.allSettled(
    folders.map((name) =>
      copyFolder(`${from}/${name}`, `${to}/${name}`, owner)
    ),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  await give(to, owner);
}

async function give(path: string, owner: Owner | undefined): Promise<void> {
  if (owner !== undefined) await Deno.chown(path, owner.uid, owner.gid);
}

async function makeLinks(source: BinaryPackage, target: string): Promise<void> {
  const text = await Deno.readTextFile(
    `${source.directory}/native/${LINKS_FILE}`,
  ).catch(() => "[]");
  for (const link of decodeLinks(JSON.parse(text))) {
    const at = `${target}/${withoutRoot(link.target)}`;
    const to = `${target}/${withoutRoot(link.source)}`;
    await Deno.symlink(relative(dirname(at), to), at).catch((error) => {
      // An installer that keeps links has made them already.
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    });
  }
}

function decodeLinks(value: unknown): { source: string; target: string }[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown) =>
    typeof entry === "object" && entry !== null &&
      "source" in entry && typeof entry.source === "string" &&
      "target" in entry && typeof entry.target === "string"
      ? [{ source: entry.source, target: entry.target }]
      : []
  );
}

function withoutRoot(path: string): string {
  return path.replace(/^native\//, "");
}
