/**
 * Last known good copies of remote documents, one file for each source.
 *
 * The file names documents by a hash of their address, because an address may
 * hold credentials. It is replaced as a whole: a reader sees the old copy or the
 * new one and nothing between.
 *
 * @module
 */

import type { StoredDocument } from "./documents.ts";
import { isJsonObject } from "../parse/json.ts";
import { hashKey } from "./location.ts";

const FORMAT = 1;

/** Copies found on disk, or why they cannot be used. */
export type CacheReading =
  | {
    readonly ok: true;
    readonly copies: ReadonlyMap<string, StoredDocument>;
  }
  | { readonly ok: false; readonly reason: string };

/** Where copies are kept, whoever the folder belongs to. */
export interface CacheFolder {
  /** Where it is, for people. */
  readonly path: string;
  /** Reads a file; undefined where there is none. */
  read(
    name: string,
  ): Promise<{ readonly text: string; readonly writtenAt: Date } | undefined>;
  /** Puts a file in the place of what has its name, whole and private. */
  replace(name: string, text: string): Promise<void>;
  /** Sets when a file was written. */
  setWrittenAt(name: string, at: Date): Promise<void>;
}

/** Keeps the copies of one source in one folder. */
export class CatalogCache {
  readonly #folder: CacheFolder;
  readonly #source: string;

  /** Takes the folder and the key of the source. */
  constructor(folder: CacheFolder, source: string) {
    this.#folder = folder;
    this.#source = source;
  }

  /** Reads the copies, keyed by the hash of their address. */
  async read(): Promise<CacheReading> {
    try {
      const file = await this.#folder.read(await this.#name());
      if (file === undefined) return { ok: true, copies: new Map() };
      const copies = decode(JSON.parse(file.text), file.writtenAt.getTime());
      if (copies !== undefined) return { ok: true, copies };
      return { ok: false, reason: "The kept copy has an unknown format" };
    } catch (error) {
      const reason = `The kept copy could not be read${because(error)}`;
      return { ok: false, reason };
    }
  }

  /** Replaces the copies, all confirmed by then; answers why that failed. */
  async write(
    documents: ReadonlyMap<string, StoredDocument>,
    confirmedAt: number,
  ): Promise<string | undefined> {
    try {
      const copies: Record<string, StoredDocument> = {};
      for (const [key, document] of documents) {
        copies[await hashKey(key)] = document;
      }
      const text = JSON.stringify({ format: FORMAT, copies });
      await this.#folder.replace(await this.#name(), text);
      await this.confirm(confirmedAt);
      return undefined;
    } catch (error) {
      return `The last known good copy could not be kept in "${this.#folder.path}"${
        because(error)
      }`;
    }
  }

  /** Notes that the source confirmed the copies, without writing them again. */
  async confirm(at: number): Promise<void> {
    const name = await this.#name();
    await this.#folder.setWrittenAt(name, new Date(at)).catch(() => {});
  }

  async #name(): Promise<string> {
    return `catalog-${(await hashKey(this.#source)).slice(0, 32)}.json`;
  }
}

function because(error: unknown): string {
  return error instanceof Error ? `: ${error.message}` : "";
}

function decode(
  value: unknown,
  confirmedAt: number,
): ReadonlyMap<string, StoredDocument> | undefined {
  if (!isJsonObject(value) || value["format"] !== FORMAT) return undefined;
  if (!isJsonObject(value["copies"])) return undefined;
  const copies = new Map<string, StoredDocument>();
  for (const [key, copy] of Object.entries(value["copies"])) {
    if (!isJsonObject(copy)) continue;
    const { text, readAt, validators } = copy;
    if (typeof text !== "string" || typeof readAt !== "number") continue;
    copies.set(key, {
      text,
      readAt: Math.max(readAt, confirmedAt),
      validators: isJsonObject(validators) ? decodeValidators(validators) : {},
    });
  }
  return copies;
}

function decodeValidators(
  { etag, lastModified }: Readonly<Record<string, unknown>>,
): StoredDocument["validators"] {
  return {
    ...(typeof etag === "string" ? { etag } : {}),
    ...(typeof lastModified === "string" ? { lastModified } : {}),
  };
}
