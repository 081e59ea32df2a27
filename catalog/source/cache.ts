/**
 * Last known good copies of remote documents, one file for each source.
 *
 * The file names documents by a hash of their address, because an address may
 * hold credentials. It is written to a new file and renamed, so that a reader
 * sees the old copy or the new one and nothing between.
 *
 * @module
 */

import { join } from "node:path";

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

/** Keeps the copies of one source in one folder. */
export class CatalogCache {
  readonly #directory: string;
  readonly #source: string;

  /** Takes the folder and the key of the source. */
  constructor(directory: string, source: string) {
    this.#directory = directory;
    this.#source = source;
  }

  /** Reads the copies, keyed by the hash of their address. */
  async read(): Promise<CacheReading> {
    try {
      const path = await this.#path();
      const text = await Deno.readTextFile(path);
      const confirmed = (await Deno.stat(path)).mtime?.getTime() ?? 0;
      const copies = decode(JSON.parse(text), confirmed);
      if (copies !== undefined) return { ok: true, copies };
      return { ok: false, reason: "The kept copy has an unknown format" };
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) {
        return { ok: true, copies: new Map() };
      }
      return { ok: false, reason: "The kept copy could not be read" };
    }
  }

  /** Replaces the copies, all confirmed by then; answers why that failed. */
  async write(
    documents: ReadonlyMap<string, StoredDocument>,
    confirmedAt: number,
  ): Promise<string | undefined> {
    const temporary = join(this.#directory, `.catalog-${crypto.randomUUID()}`);
    try {
      await Deno.mkdir(this.#directory, { recursive: true, mode: 0o700 });
      const copies: Record<string, StoredDocument> = {};
      for (const [key, document] of documents) {
        copies[await hashKey(key)] = document;
      }
      const text = JSON.stringify({ format: FORMAT, copies });
      await Deno.writeTextFile(temporary, text, { mode: 0o600 });
      await Deno.rename(temporary, await this.#path());
      await this.confirm(confirmedAt);
      return undefined;
    } catch {
      await Deno.remove(temporary).catch(() => {});
      return `The last known good copy could not be kept in "${this.#directory}"`;
    }
  }

  /** Notes that the source confirmed the copies, without writing them again. */
  async confirm(at: number): Promise<void> {
    const time = new Date(at);
    await Deno.utime(await this.#path(), time, time).catch(() => {});
  }

  async #path(): Promise<string> {
    const name = (await hashKey(this.#source)).slice(0, 32);
    return join(this.#directory, `catalog-${name}.json`);
  }
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
