/**
 * The verbs of `docs/command_line.md`.
 *
 * @module
 */
import type { Verb } from "../../cli/verb.ts";
import { VERBS } from "../../cli/verbs.ts";
import { table } from "./markdown.ts";

/** A list of all verbs, then each with its words and flags. */
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
  const heading = `## ${name}`;
  if (verb.help !== undefined) {
    return `${heading}\n\n\`\`\`\n${verb.help.trim()}\n\`\`\``;
  }
  const words = verb.words === undefined ? "" : ` ${verb.words}`;
  const flags = Object.entries(verb.flags).map(([flag, { type, meaning }]) => [
    `\`--${flag}${type === "string" ? " VALUE" : ""}\``,
    meaning,
  ]);
  return [
    heading,
    `\`deno task ${name}${words}\``,
    verb.summary,
    ...(flags.length === 0 ? [] : [table(["flag", "meaning"], flags)]),
  ].join("\n\n");
}
