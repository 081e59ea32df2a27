/**
 * `scope`: where memory lives in CortexDB, and what a path means. Asks no
 * server.
 *
 * @module
 */
import { layoutOf } from "../../settings/cortex_settings.ts";
import { print, printError } from "../../output.ts";
import { ConfigError, settingsOf } from "../../settings/config.ts";
import { defineVerb } from "../../verb.ts";
import { runScopeCommand, SCOPE_USAGE } from "./scope_command.ts";

/** The verb. */
export const scope = defineVerb({
  summary:
    "Shows where a memory node lives in CortexDB, and what a scope path means.",
  help: SCOPE_USAGE,
  maxWords: 3,
  flags: { json: { type: "boolean", meaning: "one line of JSON" } },
  settings: settingsOf("layout"),
  run(call, config) {
    const [operation, ...args] = call.words;
    if (operation === undefined) {
      throw new ConfigError([
        "scope needs one of render, parse, prefixes; see scope --help",
      ]);
    }
    const { code, lines } = runScopeCommand({
      operation,
      args,
      layout: layoutOf(config).layout,
      json: call.flags.json === true,
    });
    for (const line of lines) {
      if (code === 2) printError(line);
      else print(line);
    }
    return Promise.resolve(code);
  },
});
