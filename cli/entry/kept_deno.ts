/**
 * The Deno that clients start us with, kept in the home.
 *
 * Package managers clear their caches, and `npx` asks its registry at each
 * start, so an entry names neither. The copy appears under its name only when
 * it is whole, so that any number of processes may make it at once.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { StartError } from "../app/start_error.ts";

/** Mode of a home that root makes: PostgreSQL's user passes through it. */
const PASSAGE_MODE = 0o711;

/** Files that a package manager replaces, and never writes into. */
const PACKAGE_REGEXP = /[\\/]node_modules[\\/]/;

/**
 * Path of the running Deno's copy in `home`, made where it is not there. Root
 * keeps nothing in a home of another user, who could put something else in its
 * place: then it is the running Deno itself.
 *
 * @throws {StartError} It cannot be written.
 */
export async function keepDeno(
  home: string,
  deno: string = Deno.execPath(),
): Promise<string> {
  try {
    return await keep(home, deno);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(
      `Cannot keep Deno for the client in ${home}: ${reason}. Choose another ROOTCELLAR_HOME`,
    );
  }
}

async function keep(home: string, deno: string): Promise<string> {
  const extension = Deno.build.os === "windows" ? ".exe" : "";
  const kept = join(home, "bin", `deno-${Deno.version.deno}${extension}`);
  if (deno === kept) return kept;
  const { size } = await Deno.stat(deno);
  const there = await Deno.stat(kept).catch(() => undefined);
  if (there?.size === size) return kept;
  const isRoot = Deno.build.os !== "windows" && Deno.uid() === 0;
  const mode = isRoot ? PASSAGE_MODE : 0o700;
  await Deno.mkdir(home, { recursive: true, mode });
  if (isRoot && (await Deno.stat(home)).uid !== 0) return deno;
  await Deno.mkdir(dirname(kept), { recursive: true, mode: 0o700 });
  const draft = `${kept}.${crypto.randomUUID().slice(0, 8)}`;
  try {
    await linkOrCopy(deno, draft);
    await Deno.rename(draft, kept);
  } finally {
    // A rename over another link to the same file leaves both names.
    await Deno.remove(draft).catch(() => {});
  }
  return kept;
}

/** A second name costs nothing, but only of what nobody writes into. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  if (PACKAGE_REGEXP.test(from)) {
    const isLinked = await Deno.link(from, to).then(() => true, () => false);
    if (isLinked) return;
  }
  await Deno.copyFile(from, to);
}
