/**
 * `sweep`: one retention sweep and recount, then exit.
 *
 * @module
 */
import { sweep as sweepStore } from "../../store/root_data/mod.ts";
import { print, printJson } from "../output.ts";
import { buildStore } from "../app/parts.ts";
import { settingsOf } from "../settings/config.ts";
import { defineVerb } from "../verb.ts";

/** The verb. */
export const sweep = defineVerb({
  summary:
    "Deletes expired records and recounts the quietest counters once, then exits.",
  flags: {
    json: { type: "boolean", meaning: "print JSON on a terminal, too" },
  },
  settings: settingsOf("database", "log"),
  async run(call, config) {
    await using store = buildStore(config);
    const isTerminal = Deno.stdout.isTerminal() && call.flags.json !== true;
    const report = await sweepStore(await store.db(), {
      findsMissing: true,
      report: (deleted) => {
        if (isTerminal) progress(`Deleted ${deleted} expired records`);
      },
    });
    if (!isTerminal) {
      printJson({ ...report, elapsedMs: Math.round(report.elapsedMs) });
    } else if (report.isSkipped) {
      print("Another sweep is running; nothing was done");
    } else {
      progress("");
      print(
        `Deleted ${report.deleted} expired records in ${
          Math.round(report.elapsedMs)
        } ms${
          report.isTimedOut ? "; more are due, run it again" : ""
        }; recounted ${report.recounted} counters, ${report.drift.length} of them were wrong`,
      );
      for (const { namespace, collection, records } of report.drift) {
        print(
          `  ${namespace}/${collection}: ${records.before} records counted, ${records.after} stored`,
        );
      }
    }
    return 0;
  },
});

function progress(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`\r\x1b[K${text}`));
}
