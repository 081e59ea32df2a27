/**
 * The command line: finds the verb, runs it, and turns what went wrong into one
 * line and an exit code.
 *
 * Exit codes: 0 done, 1 it did not work, 2 called or configured wrongly.
 *
 * @module
 */
import { ConfigError } from "./cli/settings/config.ts";
import { processConfig } from "./cli/settings/read_config.ts";
import { guardJsonNames } from "./cli/app/json_names.ts";
import { keepLoopbackDirect } from "./cli/settings/environment.ts";
import { explain } from "./cli/explain.ts";
import { print, printError, toLine } from "./cli/output.ts";
import { helpOf, readCall } from "./cli/verb.ts";
import { VERBS } from "./cli/verbs.ts";

async function main(args: readonly string[]): Promise<number> {
  guardJsonNames();
  keepLoopbackDirect();
  const [name, ...rest] = args;
  if (
    name === undefined || name === "help" || name === "--help" || name === "-h"
  ) {
    print(await overview());
    return name === undefined ? 2 : 0;
  }
  const load = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (load === undefined) {
    throw new ConfigError([
      `There is no verb "${name}"; verbs: ${Object.keys(VERBS).join(", ")}`,
    ]);
  }
  const verb = await load();
  const call = readCall(name, verb, rest);
  if (call.flags.help === true) {
    print(helpOf(name, verb));
    return 0;
  }
  return await verb.run(call, await processConfig(verb.settings, call.flags));
}

async function overview(): Promise<string> {
  const lines = await Promise.all(
    Object.entries(VERBS).map(async ([name, load]) =>
      `  ${name.padEnd(10)} ${(await load()).summary}`
    ),
  );
  return [
    "Rootcellar keeps what agents must remember between sessions.",
    "",
    "deno task VERB [--help]",
    "",
    ...lines,
  ].join("\n");
}

try {
  Deno.exit(await main(Deno.args));
} catch (error) {
  const { lines, code } = explain(error);
  for (const line of lines) printError(toLine(line));
  Deno.exit(code);
}
