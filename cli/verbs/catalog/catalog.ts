/**
 * `catalog check`: what a catalog declares, and what its owner should know.
 *
 * @module
 */
import { CHECK_USAGE, renderCheck } from "./catalog_report.ts";
import { checkCatalog } from "../../../catalog/mod.ts";
import { ConfigError, settingsOf } from "../../settings/config.ts";
import { callerFolder } from "../../settings/environment.ts";
import { print } from "../../output.ts";
import { defineVerb } from "../../verb.ts";

/** The verb. */
export const catalog = defineVerb({
  summary:
    "Reads a catalog as the server would and says what its owner should know.",
  help: CHECK_USAGE.join("\n"),
  maxWords: 2,
  flags: { json: { type: "boolean", meaning: "print one JSON document" } },
  settings: settingsOf("catalog"),
  async run(call, config) {
    const [action, path] = call.words;
    if (action !== "check") {
      throw new ConfigError([
        `catalog needs the word check: it got ${
          action === undefined ? "none" : `"${action}"`
        }`,
      ]);
    }
    const source = path ?? config.catalog;
    const report = await checkCatalog({
      ...(source === undefined ? {} : { source }),
      cwd: callerFolder(),
      aliases: config.catalogAliases,
    });
    const { code, lines } = renderCheck(report, {
      json: call.flags.json === true,
    });
    for (const line of lines) print(line);
    return code;
  },
});
