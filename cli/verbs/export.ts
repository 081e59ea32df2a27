/**
 * `export`: the records of a namespace as JSON Lines.
 *
 * @module
 */
import {
  assertCollectionName,
  assertNamespace,
} from "../../store/root_data/mod.ts";
import { exportRecords } from "../../store/transfer/mod.ts";
import { StoreRefusalError } from "../../store/mod.ts";
import { ConfigError, settingsOf } from "../settings/config.ts";
import { printError } from "../output.ts";
import { openOutputFile, type OutputFile, writeAll } from "../output_file.ts";
import { buildStore } from "../app/parts.ts";
import { defineVerb, textFlag } from "../verb.ts";

/** The verb. */
export const exportVerb = defineVerb({
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
  settings: settingsOf("database", "log"),
  async run(call, config) {
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
    await using target = path === undefined
      ? toStdout()
      : await openOutputFile(path, "--output");
    await using store = buildStore(config);
    const db = await store.db();
    const encoder = new TextEncoder();
    const report = await exportRecords(
      db,
      { namespace, collection },
      (lines) => target.write(encoder.encode(lines)),
    );
    await target.finish();
    printError(
      `Exported ${report.records} records of ${report.collections} collections of "${namespace}"`,
    );
    if (report.records > 0) return 0;
    printError(
      "Nothing is stored there: look for a mistyped name (deno task records list)",
    );
    return 1;
  },
});

/** Turns what the store says about a name into a complaint about a flag. */
export function assertFlags(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof StoreRefusalError)) throw error;
    throw new ConfigError([error.message]);
  }
}

function toStdout(): OutputFile {
  return {
    write: (bytes) => writeAll(Deno.stdout, bytes),
    finish: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
