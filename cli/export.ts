/**
 * `export`: the records of a namespace as JSON Lines.
 *
 * @module
 */
import {
  assertCollectionName,
  assertNamespace,
  exportRecords,
  StoreRefusalError,
} from "../store/mod.ts";
import { ConfigError } from "./config.ts";
import { printError } from "./output.ts";
import { buildParts } from "./parts.ts";
import { processConfig } from "./read_config.ts";
import { textFlag, type Verb } from "./verb.ts";

/** The verb. */
export const exportVerb: Verb = {
  summary:
    "Writes the records of a namespace as JSON Lines to stdout or a file; import reads them back.",
  flags: {
    namespace: { type: "string", meaning: "namespace to export (required)" },
    collection: { type: "string", meaning: "only this collection" },
    output: {
      type: "string",
      meaning: "write this file, readable by its owner only, instead of stdout",
    },
  },
  async run(call) {
    const config = await processConfig(call);
    const namespace = textFlag(call, "namespace");
    const collection = textFlag(call, "collection");
    if (namespace === undefined) {
      throw new ConfigError(["export needs --namespace NAME"]);
    }
    assertFlags(() => {
      assertNamespace(namespace);
      if (collection !== undefined) assertCollectionName(collection);
    });
    const path = textFlag(call, "output");
    if (path !== undefined) await assertReplaceable(path);
    await using parts = buildParts(config);
    const db = await parts.services.store.db();
    await using target = path === undefined ? toStdout() : await toFile(path);
    const report = await exportRecords(
      db,
      { namespace, collection },
      (lines) => target.write(lines),
    );
    await target.finish();
    printError(
      `Exported ${report.records} records of ${report.collections} collections of "${namespace}"`,
    );
    return 0;
  },
};

/** Turns what the store says about a name into a complaint about a flag. */
export function assertFlags(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof StoreRefusalError)) throw error;
    throw new ConfigError([error.message]);
  }
}

/** Where an export goes; disposing before `finish` leaves nothing behind. */
interface Target extends AsyncDisposable {
  write(lines: string): Promise<void>;
  finish(): Promise<void>;
}

function toStdout(): Target {
  return {
    write: (lines) => writeAll(Deno.stdout, lines),
    finish: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Writes beside the file and renames at the end: a file is whole or old. */
async function toFile(path: string): Promise<Target> {
  const draft = `${path}.${crypto.randomUUID()}.part`;
  const file = await Deno.open(draft, {
    write: true,
    createNew: true,
    mode: 0o600,
  }).catch((error) => {
    throw new ConfigError([`Cannot write --output ${path}: ${reason(error)}`]);
  });
  let isFinished = false;
  return {
    write: (lines) => writeAll(file, lines),
    async finish() {
      await file.sync();
      await Deno.rename(draft, path);
      isFinished = true;
    },
    async [Symbol.asyncDispose]() {
      file.close();
      if (!isFinished) await Deno.remove(draft);
    },
  };
}

/** Refuses to put a file in the place of a device, a folder or a link. */
async function assertReplaceable(path: string): Promise<void> {
  try {
    if ((await Deno.lstat(path)).isFile) return;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw new ConfigError([`Cannot write --output ${path}: ${reason(error)}`]);
  }
  throw new ConfigError([
    `Cannot write --output ${path}: it exists and is not a regular file`,
  ]);
}

async function writeAll(
  to: { write(bytes: Uint8Array): Promise<number> },
  text: string,
): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) {
    at += await to.write(bytes.subarray(at));
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
