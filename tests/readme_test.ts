import { equal, ok } from "node:assert/strict";
import { SETTINGS } from "../cli/settings/config.ts";
import { VERBS } from "../cli/verbs.ts";
import { TOOLS } from "../mcp/tools/registry.ts";
import config from "../deno.json" with { type: "json" };
import readme from "../README.md" with { type: "text" };

/** Rows of the table whose first column matches. */
function rows(first: RegExp): string[][] {
  return readme.split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim())
    )
    .filter(([cell]) => first.test(cell ?? ""));
}

Deno.test("the README's configuration table is the program's", () => {
  const shown = rows(/^`[A-Z_]+`$/);
  equal(
    JSON.stringify(shown),
    JSON.stringify(SETTINGS.map(({ name, standard, meaning }) => [
      `\`${name}\``,
      standard,
      meaning,
    ])),
  );
});

Deno.test("the README's tools table is the registry", () => {
  const names = rows(/^`[a-z_]+`$/).map(([, name]) => name)
    .filter((name) => name?.match(/^`[a-z_]+`$/));
  equal(
    JSON.stringify(names),
    JSON.stringify(TOOLS.map((tool) => `\`${tool.name}\``)),
  );
});

Deno.test("every verb is a task and stands in the README, and every task it names exists", () => {
  for (const verb of Object.keys(VERBS)) {
    ok(verb in config.tasks, verb);
    ok(readme.includes(`deno task ${verb}`), verb);
  }
  for (const [, task] of readme.matchAll(/deno(?:@[0-9.]+)? task ([a-z]+)/g)) {
    ok(String(task) in config.tasks, task);
  }
});

Deno.test("every dependency has a row in the README", () => {
  for (const name of Object.keys(config.imports)) {
    const short = name.replace("@modelcontextprotocol/client", "…/client");
    ok(readme.includes(`\`${short}\``), name);
  }
});
