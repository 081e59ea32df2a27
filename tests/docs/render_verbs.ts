/**
 * The verbs of `docs/command_line.md`.
 *
 * @module
 */
import { SETTINGS } from "../../cli/settings/config.ts";
import type { Verb } from "../../cli/verb.ts";
import { VERBS } from "../../cli/verbs.ts";
import { table } from "./markdown.ts";

/** A list of all verbs, then each with its words, flags and settings. */
export async function renderVerbs(): Promise<string> {
  const verbs = await Promise.all(
    Object.entries(VERBS).map(async ([name, load]) =>
      [name, await load()] as const
    ),
  );
  const list = table(
    ["verb", "does"],
    verbs.map(([name, { summary }]) => [`[\`${name}\`](#${name})`, summary]),
  );
  return [list, ...verbs.map(([name, verb]) => section(name, verb))]
    .join("\n\n");
}

function section(name: string, verb: Verb): string {
  return [`## ${name}`, ...usage(name, verb), ...settings(verb)].join("\n\n");
}

function usage(name: string, verb: Verb): readonly string[] {
  if (verb.help !== undefined) return [`\`\`\`\n${verb.help.trim()}\n\`\`\``];
  const words = verb.words === undefined ? "" : ` ${verb.words}`;
  const flags = Object.entries(verb.flags).map(([flag, { type, meaning }]) => [
    `\`--${flag}${type === "string" ? " VALUE" : ""}\``,
    meaning,
  ]);
  return [
    `\`deno task ${name}${words}\``,
    verb.summary,
    ...(flags.length === 0 ? [] : [table(["flag", "meaning"], flags)]),
  ];
}

/** The settings whose flags it takes: all, or which. */
function settings(verb: Verb): readonly string[] {
  const used = SETTINGS.filter(({ key }) => verb.settings.includes(key));
  if (used.length === 0) return [];
  const names = used.map(({ name }) => `\`${name}\``).join(", ");
  return [`Settings: ${used.length === SETTINGS.length ? "all" : names}.`];
}
