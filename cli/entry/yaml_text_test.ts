import { deepEqual, equal, match, ok } from "node:assert/strict";
import { parse } from "yaml";
import { type Connector, entryOf } from "../../mcp/mod.ts";
import { mergeEntry } from "./entry_text.ts";
import { yamlForm } from "./yaml_text.ts";

const STDIO: Connector = {
  kind: "stdio",
  command: ["deno", "run", "a: 'b' # c"],
  env: { ROOTCELLAR_HOME: "/data" },
};
const HTTP: Connector = {
  kind: "http",
  url: "http://127.0.0.1:7668/mcp",
  header: ["X-API-Key", "rck_x"],
};
const FORM = yamlForm("mcpServers");

function merged(
  text: string,
  connector: Connector,
  name = "rootcellar",
): string {
  const entry = entryOf("continue", connector);
  const outcome = mergeEntry(text, FORM, { name, entry });
  ok(outcome.ok, outcome.ok ? "" : `${outcome.reason}\n${text}`);
  return outcome.text;
}

const FILE = [
  "# mine",
  "name: Work # n",
  "version: 0.0.1",
  "models:",
  "  - name: gpt",
  "    provider: openai # p",
  "",
];
const SERVERS = [
  "mcpServers:",
  "  # theirs",
  "  - name: other",
  "    command: x # c",
  "",
];

Deno.test("a YAML file gets the entry behind the others, and keeps all else", () => {
  const files = [
    "",
    "\n",
    FILE.join("\n"),
    [...FILE, ...SERVERS].join("\n"),
    [...SERVERS, ...FILE].join("\n"),
    [...FILE, "mcpServers:", ""].join("\n"),
    [...FILE, "mcpServers: []", ""].join("\n"),
    [...FILE, "mcpServers: [{ name: other, command: x }]", ""].join("\n"),
    [...FILE, "mcpServers:", "- name: other", "  command: x"].join("\n"),
  ];
  const connectors: readonly Connector[] = [STDIO, HTTP];
  for (const text of files) {
    for (const connector of connectors) {
      const after = merged(text, connector);
      const said = parse(after);
      const { name, ...entry } = said.mcpServers.at(-1);
      equal(name, "rootcellar");
      deepEqual(entry, entryOf("continue", connector), after);
      const before = parse(text) ?? {};
      deepEqual(said.mcpServers.slice(0, -1), before.mcpServers ?? []);
      deepEqual(said.models, before.models);
      for (const comment of text.match(/# \w+/g) ?? []) {
        ok(after.includes(comment), after);
      }
      equal(merged(after, connector), after);
    }
  }
});

Deno.test("lines that nothing is said of stay as they are", () => {
  const text = [...FILE, ...SERVERS].join("\n");
  ok(merged(text, STDIO).startsWith(text));
});

Deno.test("an entry that is there is replaced, with what its user set", () => {
  const text = merged([...SERVERS].join("\n"), STDIO).replace(
    "connectionTimeout: 120000",
    "connectionTimeout: 5 # slow",
  );
  const { mcpServers } = parse(merged(text, HTTP));
  deepEqual(mcpServers, [
    { name: "other", command: "x" },
    {
      name: "rootcellar",
      ...entryOf("continue", HTTP),
      connectionTimeout: 5,
    },
  ]);
  match(merged(text, HTTP), /# slow/);
});

Deno.test("a new file says what the client wants of every file", () => {
  const { name, version, schema } = parse(merged("", STDIO));
  deepEqual([name, version, schema], ["Local", "1.0.0", "v1"]);
});

Deno.test("YAML that cannot be read, or holds something else, is refused", () => {
  const table: readonly [string, RegExp][] = [
    ["a: [", /It is not YAML/],
    ["- a", /does not hold members by name/],
    ["mcpServers: 1", /"mcpServers" is not a list/],
    ["mcpServers: {a: {}}", /"mcpServers" is not a list/],
    ["mcpServers: [1]", /without a name of its own/],
    ["mcpServers: [{name: a}, {name: a}]", /without a name of its own/],
  ];
  for (const [text, reason] of table) {
    const entry = entryOf("continue", STDIO);
    const outcome = mergeEntry(text, FORM, { name: "rootcellar", entry });
    match(outcome.ok ? "" : outcome.reason, reason, text);
  }
});
