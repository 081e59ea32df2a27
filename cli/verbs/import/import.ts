/**
 * `import`: reads JSON Lines as `export` writes them.
 *
 * @module
 */
import { assertNamespace } from "../../../store/root_data/mod.ts";
import { importRecords } from "../../../store/transfer/mod.ts";
import { ConfigError, settingsOf } from "../../settings/config.ts";
import { callerPath } from "../../settings/environment.ts";
import { assertFlags } from "../export.ts";
import { declarationCheck } from "./import_check.ts";
import { printError, printJson, toLine } from "../../output.ts";
import { buildCatalog, buildLog, buildStore } from "../../app/parts.ts";
import { defineVerb, textFlag } from "../../verb.ts";

/** The verb. */
export const importVerb = defineVerb({
  summary:
    "Reads JSON Lines that export wrote, under the same limits and schemas as any write; says line by line what was refused.",
  words: "FILE|-",
  maxWords: 1,
  flags: {
    namespace: {
      type: "string",
      meaning:
        "copy into this namespace, whatever the lines say; nothing is removed elsewhere",
    },
    undeclared: {
      type: "boolean",
      meaning: "take collections that no agent root declares, too",
    },
    overwrite: {
      type: "boolean",
      meaning: "replace records that were written later than their line, too",
    },
    "dry-run": {
      type: "boolean",
      meaning: "check everything, write and lock nothing",
    },
  },
  settings: settingsOf("database", "catalog", "log"),
  async run(call, config) {
    const [path] = call.words;
    if (path === undefined) {
      throw new ConfigError(["import needs a file, or - for stdin"]);
    }
    const namespace = textFlag(call, "namespace");
    if (namespace !== undefined) assertFlags(() => assertNamespace(namespace));
    const input = await openInput(path === "-" ? path : callerPath(path));
    const log = buildLog(config);
    await using store = buildStore(config, log);
    await using catalog = buildCatalog(config, log);
    const { keptNewer, ...report } = await importRecords(
      await store.db(),
      input,
      {
        namespace,
        isDryRun: call.flags["dry-run"] === true,
        isOverwrite: call.flags.overwrite === true,
        check: declarationCheck(
          await catalog.current(),
          call.flags.undeclared === true,
        ),
        refuse: (line, reason) => printError(toLine(`Line ${line}: ${reason}`)),
      },
    );
    printJson({ ...report, kept_newer: keptNewer });
    return report.refused > 0 ? 1 : 0;
  },
});

async function openInput(path: string): Promise<ReadableStream<Uint8Array>> {
  if (path === "-") return Deno.stdin.readable;
  try {
    const file = await Deno.open(path);
    if ((await file.stat()).isDirectory) {
      file.close();
      throw new Error("It is a folder");
    }
    return file.readable;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`Cannot read ${path}: ${reason}`]);
  }
}
