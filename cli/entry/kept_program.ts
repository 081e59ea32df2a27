/**
 * What clients start us with: Deno, and a packaged program, kept in the home.
 *
 * Package managers clear their caches, and `npx` asks its registry at each
 * start, so an entry names neither. What is kept appears under its name only
 * when it is whole, so that any number of processes may keep it at once.
 *
 * @module
 */
import { basename, dirname, join } from "node:path";
import { embeddedPackage } from "../../store/embedded/mod.ts";
import { VERSION } from "../../mcp/mod.ts";
import { StartError } from "../app/start_error.ts";
import { isBundle } from "./start_command.ts";

/** Files that a package manager replaces, and never writes into. */
const PACKAGE_REGEXP = /[\\/]node_modules[\\/]/;

/** What a client starts. */
export interface KeptProgram {
  /** Path of Deno. */
  readonly deno: string;
  /** Path of the program. */
  readonly main: string;
}

/**
 * Keeps the running Deno in `home`, and the program where it is a package's.
 * A checkout stays where it is.
 *
 * @throws {StartError} It cannot be written.
 */
export async function keepProgram(
  home: string,
  { deno, main }: KeptProgram,
): Promise<KeptProgram> {
  try {
    return {
      deno: await keepDeno(home, deno),
      main: isBundle(main) ? await keepBundle(home, main) : main,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `Cannot keep what the client starts in ${home}: ${reason}. Choose another ROOTCELLAR_HOME`,
    );
  }
}

async function keepDeno(home: string, deno: string): Promise<string> {
  const extension = Deno.build.os === "windows" ? ".exe" : "";
  const kept = join(home, "bin", `deno-${Deno.version.deno}${extension}`);
  if (deno === kept) return kept;
  const { size } = await Deno.stat(deno);
  const there = await Deno.stat(kept).catch(() => undefined);
  if (there?.size === size) return kept;
  await makeFolder(dirname(kept));
  const draft = draftOf(kept);
  try {
    await linkOrCopy(deno, draft);
    await Deno.rename(draft, kept);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw error;
  }
  return kept;
}

/** The bundle, and beside it the PostgreSQL that it would start. */
async function keepBundle(home: string, main: string): Promise<string> {
  const digest = await crypto.subtle.digest(
    "SHA-256",
    await Deno.readFile(main),
  );
  const build = new Uint8Array(digest).toHex().slice(0, 8);
  const kept = join(home, "app", `${VERSION}-${build}`);
  if (dirname(main) === kept) return main;
  const keptMain = join(kept, basename(main));
  if (await isThere(keptMain)) return keptMain;
  await makeFolder(dirname(kept));
  const draft = draftOf(kept);
  try {
    await keepTree(dirname(main), draft);
    const postgres = await embeddedPackage();
    if (postgres !== undefined) {
      await keepTree(
        postgres.directory,
        join(draft, "node_modules", postgres.name),
      );
    }
    await Deno.rename(draft, kept);
  } catch (error) {
    await Deno.remove(draft, { recursive: true }).catch(() => {});
    // Another process was first: what it kept is the same.
    if (!await isThere(keptMain)) throw error;
  }
  return keptMain;
}

async function keepTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    const keep = isDirectory ? keepTree : linkOrCopy;
    await keep(join(from, name), join(to, name));
  }
}

/** A second name costs nothing, but only of what nobody writes into. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  if (PACKAGE_REGEXP.test(from)) {
    const isLinked = await Deno.link(from, to).then(() => true, () => false);
    if (isLinked) return;
  }
  await Deno.copyFile(from, to);
}

async function makeFolder(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
}

function draftOf(path: string): string {
  const name = `.${basename(path)}.${crypto.randomUUID().slice(0, 8)}`;
  return join(dirname(path), name);
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
