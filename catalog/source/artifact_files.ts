/**
 * Files that catalog entries name, such as the folder of a skill: listed with
 * their digests, and read by them.
 *
 * Only of a catalog that is a local file: what lies in its folders is its
 * owner's. Links are not followed, so nothing outside is ever read.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { createHash } from "node:crypto";
import type { Artifact } from "../types.ts";

/** A file of an artifact. */
export interface ArtifactFile {
  /** Below the artifact's folder, with `/`. */
  readonly path: string;
  /** SHA-256 of its bytes, in hexadecimal digits. */
  readonly sha256: string;
}

/** The files, or why there are none. */
export type ArtifactReading =
  | { readonly ok: true; readonly files: readonly ArtifactFile[] }
  | { readonly ok: false; readonly reason: string };

const MAX_BYTES = 5_000_000;
const MAX_FILES = 500;

class TooLargeError extends Error {}

/** Reads files of artifacts, and knows which digest is whose. */
export class ArtifactFiles {
  /** Where a digest was seen last. */
  readonly #places = new Map<string, string>();
  /** What a file was when it was read: its time and size, and its digest. */
  readonly #known = new Map<
    string,
    { readonly mark: string; readonly sha256: string }
  >();

  /** Lists the files of an artifact. Never rejects. */
  async list({ source, entry }: Artifact): Promise<ArtifactReading> {
    const { path } = entry;
    if (typeof path !== "string" || path === "") {
      return { ok: false, reason: "its entry names no path" };
    }
    if (/^https?:/.test(source)) {
      return {
        ok: false,
        reason:
          "its catalog comes from an address, of which no folders are read",
      };
    }
    const folder = join(dirname(source.replace(/^file:\/\//, "")), path);
    const budget = { files: MAX_FILES, bytes: MAX_BYTES };
    try {
      const files: ArtifactFile[] = [];
      for await (const name of walk(folder, "", budget)) {
        files.push({ path: name, sha256: await this.#digest(folder, name) });
      }
      return files.length === 0
        ? { ok: false, reason: "its folder is empty" }
        : { ok: true, files };
    } catch (error) {
      return {
        ok: false,
        reason: error instanceof TooLargeError
          ? error.message
          : "its folder cannot be read",
      };
    }
  }

  /** The bytes of a digest that was listed; undefined where they are gone. */
  async read(sha256: string): Promise<Uint8Array | undefined> {
    const path = this.#places.get(sha256);
    if (path === undefined) return undefined;
    const bytes = await Deno.readFile(path).catch(() => undefined);
    return bytes !== undefined && digestOf(bytes) === sha256
      ? bytes
      : undefined;
  }

  /** The text of one of an artifact's files; undefined where it has none. */
  async readText(
    files: readonly ArtifactFile[],
    path: string,
  ): Promise<string | undefined> {
    const file = files.find((one) => one.path === path);
    const bytes = file === undefined ? undefined : await this.read(file.sha256);
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  }

  async #digest(folder: string, name: string): Promise<string> {
    const path = join(folder, name);
    const { size, mtime } = await Deno.stat(path);
    const mark = `${size} ${mtime?.getTime()}`;
    const known = this.#known.get(path);
    const sha256 = known?.mark === mark
      ? known.sha256
      : digestOf(await Deno.readFile(path));
    this.#known.set(path, { mark, sha256 });
    this.#places.set(sha256, path);
    return sha256;
  }
}

async function* walk(
  folder: string,
  below: string,
  budget: { files: number; bytes: number },
): AsyncGenerator<string> {
  const entries = await Array.fromAsync(Deno.readDir(join(folder, below)));
  entries.sort((a, b) => a.name < b.name ? -1 : 1);
  for (const { name, isFile, isDirectory } of entries) {
    const path = below === "" ? name : `${below}/${name}`;
    if (isDirectory) yield* walk(folder, path, budget);
    if (!isFile) continue;
    budget.files -= 1;
    budget.bytes -= (await Deno.stat(join(folder, path))).size;
    if (budget.files < 0 || budget.bytes < 0) {
      throw new TooLargeError(
        `it is larger than ${MAX_FILES} files or ${MAX_BYTES} bytes`,
      );
    }
    yield path;
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
