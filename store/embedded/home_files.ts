/**
 * Files that the program keeps in a home, beside the cluster: the API key, and
 * copies of catalogs. A door of its own, since it needs nothing of the cluster.
 *
 * As root, a home or a folder above it may be a lesser user's, who may put a
 * link in the place of anything there. Then all is done with that user's rights,
 * and what root itself reads it opens without following.
 *
 * @module
 */
import {
  type Actor,
  makeFolders,
  readPlainFile,
  replaceFile,
  setTimes,
  writeOnce,
} from "./owner_files.ts";
import { isRootsAlone, lesserAbove } from "./user.ts";

/** A folder of a home, or the home itself. */
export interface HomeFolder {
  /** Where it is. */
  readonly path: string;
  /** Reads a file; undefined where there is none. */
  read(
    name: string,
  ): Promise<{ readonly text: string; readonly writtenAt: Date } | undefined>;
  /** Makes a file; one that is there, or that another process made, stays. */
  writeOnce(name: string, text: string): Promise<void>;
  /** Puts a file in the place of what has its name, whole. */
  replace(name: string, text: string): Promise<void>;
  /** Sets when a file was written, as it is to be shown. */
  setWrittenAt(name: string, at: Date): Promise<void>;
}

/**
 * A folder, which is made by the first write. Files in it are private.
 *
 * Every method throws what the system says, in `Error`s with a message for
 * people.
 */
export function homeFolder(path: string): HomeFolder {
  const pathOf = (name: string) => `${path}/${name}`;
  const make = async (): Promise<Actor> => {
    const actor = await holderOf(path);
    await makeFolders(path, actor);
    return actor;
  };
  return {
    path,
    async read(name) {
      return await readPlainFile(pathOf(name), await holderOf(path));
    },
    async writeOnce(name, text) {
      await writeOnce(pathOf(name), text, await make());
    },
    async replace(name, text) {
      const actor = await make();
      const by = pathOf(`.${name}-${crypto.randomUUID()}`);
      await replaceFile(pathOf(name), text, { by, actor });
    },
    async setWrittenAt(name, at) {
      await setTimes(pathOf(name), at, await holderOf(path));
    },
  };
}

/** With whose rights a folder's files are handled. */
async function holderOf(folder: string): Promise<Actor> {
  if (Deno.build.os === "windows" || Deno.uid() !== 0) return undefined;
  const inside = `${folder}/any`;
  const user = await lesserAbove(inside);
  if (user !== undefined) return user;
  if (await isRootsAlone(inside)) return undefined;
  throw new Error(
    `another user may put something else in the place of ${folder}, so root does not use it`,
  );
}
