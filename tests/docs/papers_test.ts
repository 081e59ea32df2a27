import { deepEqual, ok } from "node:assert/strict";
import { SETTINGS } from "../../cli/settings/config.ts";
import { helpOf } from "../../cli/verb.ts";
import { VERBS } from "../../cli/verbs.ts";
import { REST_ROUTES } from "../../mcp/rest/routes.ts";
import { TOOLS } from "../../mcp/tools/registry.ts";
import config from "../../deno.json" with { type: "json" };
import { PAGES, PARTS, withPart } from "./pages.ts";
import { linkFaults, pathFaults } from "./places.ts";
import { papers, readFile } from "./repository.ts";

const TEXTS = papers().map((path) => [path, readFile(path) ?? ""] as const);
const ALL = TEXTS.map(([, text]) => text).join("\n");

for (const { page, name, render } of PARTS) {
  Deno.test(`${page} has its part "${name}" as the code says it`, async () => {
    const text = readFile(page) ?? "";
    ok(
      withPart(text, name, await render()) === text,
      "It is out of date: run `deno task docs:write`",
    );
  });
}

for (const { page, render } of PAGES) {
  Deno.test(`${page} is as the code says it`, async () => {
    ok(
      readFile(page) === await render(),
      "It is out of date: run `deno task docs:write`",
    );
  });
}

Deno.test("every verb is a task, and every verb and task is documented", () => {
  for (const verb of Object.keys(VERBS)) ok(verb in config.tasks, verb);
  for (const task of Object.keys(config.tasks)) {
    ok(ALL.includes(`deno task ${task}`), task);
  }
});

Deno.test("every task that the papers name exists", () => {
  for (const [path, text] of TEXTS) {
    for (const [, task] of text.matchAll(/deno(?:@[0-9.]+)? task ([a-z:]+)/g)) {
      ok(String(task) in config.tasks, `${path}: ${task}`);
    }
  }
});

Deno.test("every flag that the papers give a verb is one that it takes", async () => {
  for (const [path, text] of TEXTS) {
    for (const [, verb = "", rest = ""] of text.matchAll(COMMAND_REGEXP)) {
      const load = VERBS[verb];
      if (load === undefined) continue;
      const taken = flagsOf(helpOf(verb, await load()));
      for (const flag of flagsOf(rest)) {
        ok(taken.includes(flag), `${path}: deno task ${verb} --${flag}`);
      }
    }
  }
});

function flagsOf(text: string): readonly string[] {
  return [...text.matchAll(/--([a-z-]+)/g)].map(([, flag = ""]) => flag);
}

/** A verb with its words and flags, up to where a command may end. */
const COMMAND_REGEXP = new RegExp(
  `deno task (${Object.keys(VERBS).join("|")})\\b([^\`\\n#]*)`,
  "g",
);

Deno.test("every setting, tool, route and dependency is documented", () => {
  const names = [
    ...SETTINGS.map(({ name }) => `\`${name}\``),
    ...TOOLS.map(({ name }) => `### ${name}\n`),
    ...REST_ROUTES.map(({ method, path }) => `\`${method} ${path}\``),
    ...Object.keys(config.imports).map((name) =>
      `\`${name.replace("@modelcontextprotocol/client", "…/client")}\``
    ),
  ];
  deepEqual(names.filter((name) => !ALL.includes(name)), []);
});

Deno.test("every path and link in the papers leads somewhere", () => {
  const faults = TEXTS.flatMap(([path, text]) =>
    [...pathFaults(text), ...linkFaults(path, text)]
      .map((fault) => `${path}: ${fault}`)
  );
  deepEqual(faults, []);
});

Deno.test("a path, a link or a heading that is not there is found", () => {
  deepEqual(
    pathFaults("`store/none.ts`, `store/mod.ts`, `mcp/tools/<x>/y.ts`"),
    [
      "`store/none.ts` does not exist",
    ],
  );
  deepEqual(
    linkFaults("docs/x.md", "[a](none.md) [b](rest.md#none) [c](#x)\n# X"),
    ["none.md does not exist", "rest.md has no heading #none"],
  );
});

Deno.test("CONTRIBUTING has 9 KB at most", () => {
  const { length } = new TextEncoder().encode(readFile("CONTRIBUTING.md"));
  ok(length <= 9_216, `it has ${length} bytes`);
});
