import { deepEqual, equal, match } from "node:assert/strict";

import { IgnoredList, MAX_IGNORED } from "./ignored.ts";
import { parseArtifacts, parseDocument, parseRoots } from "./parser.ts";

function roots(document: Record<string, unknown>) {
  const ignored = new IgnoredList();
  const parsed = parseRoots(document, "roots.json", ignored);
  return { parsed, ignored: ignored.toArray("roots.json"), list: ignored };
}

Deno.test("parseRoots() does not take text beside the entries for a root [case 25]", () => {
  const { parsed, ignored } = roots({ $schema: "https://x/y", a: {} });
  deepEqual([...parsed.keys()], ["a"]);
  deepEqual(ignored, []);
});

Deno.test("parseRoots() takes an entry that is not an object as absent [case 25]", () => {
  for (const entry of [null, 1, "x", true, []]) {
    const { parsed, ignored } = roots({ "a/b~c": entry, b: {} });
    deepEqual([...parsed.keys()], ["b"]);
    deepEqual(ignored.map((item) => item.pointer), ["/a~1b~0c"]);
  }
});

Deno.test("parseRoots() keeps everything a root declares", () => {
  const entry = {
    name: "a",
    display_name: "A",
    description: "About",
    url: "https://example.com/r.git",
    default_branch: "main",
    subdirectory: "sub",
    user_invocable: false,
    default_runtime: "pi",
    default_model: "small",
    default_goal: "g",
    default_mcp_servers: ["m"],
    default_skills: [],
    default_hooks: ["h"],
    default_plugins: ["p"],
    default_subagent_roots: ["b"],
    default_in_roots: ["c"],
    memory_node: "agent:a",
    something_new: { kept: true },
  };
  const { parsed, ignored } = roots({ a: entry });
  deepEqual(parsed.get("a"), {
    name: "a",
    source: "roots.json",
    namespace: "a",
    namespaceIsValid: true,
    namespaceIsDeclared: false,
    collections: new Map(),
    memoryNode: "agent:a",
    displayName: "A",
    description: "About",
    url: "https://example.com/r.git",
    defaultBranch: "main",
    subdirectory: "sub",
    userInvocable: false,
    defaultRuntime: "pi",
    defaultModel: "small",
    defaultGoal: "g",
    defaultMcpServers: ["m"],
    defaultSkills: [],
    defaultHooks: ["h"],
    defaultPlugins: ["p"],
    subagentRoots: ["b"],
    defaultInRoots: ["c"],
    entry,
  });
  deepEqual(ignored, []);
});

Deno.test("parseRoots() leaves absent fields absent", () => {
  deepEqual(Object.keys(roots({ a: {} }).parsed.get("a") ?? {}).sort(), [
    "collections",
    "entry",
    "name",
    "namespace",
    "namespaceIsDeclared",
    "namespaceIsValid",
    "source",
  ]);
});

Deno.test("parseRoots() leaves out fields of another type and keeps the root", () => {
  const { parsed, ignored } = roots({
    a: { url: 5, user_invocable: "yes", default_skills: "x", title: "T" },
  });
  equal(parsed.get("a")?.displayName, "T");
  deepEqual(ignored.map(({ pointer, level }) => [pointer, level]), [
    ["/a/url", "warning"],
    ["/a/user_invocable", "warning"],
    ["/a/default_skills", "warning"],
  ]);
});

Deno.test("parseRoots() reads what a runner needs of a root", () => {
  const { parsed, ignored } = roots({
    a: {
      default_runtime: "command",
      command: ["sh", "-c", ""],
      permission: "ask",
      max_turn_minutes: 0.5,
    },
    b: { command: null, permission: null, max_turn_minutes: null },
  });
  const { command, permission, maxTurnMinutes } = parsed.get("a") ?? {};
  deepEqual([command, permission, maxTurnMinutes], [
    ["sh", "-c", ""],
    "ask",
    0.5,
  ]);
  equal(parsed.get("b")?.command, undefined);
  deepEqual(ignored, []);
});

Deno.test("parseRoots() leaves out a command, permission or time limit as a whole, and says what was expected", () => {
  for (
    const [field, values, expected] of [
      [
        "command",
        ["sh", [], [""], ["sh", 1], [null], {}],
        /a program and its arguments as a list of texts, got/,
      ],
      ["permission", ["ALL", "", "write", true, 1], /one of all, ask, read/],
      [
        "max_turn_minutes",
        [0, -1, NaN, Infinity, "30", true],
        /a number above 0, got/,
      ],
    ] as const
  ) {
    for (const value of values) {
      const { parsed, ignored } = roots({ a: { [field]: value } });
      deepEqual(Object.keys(parsed.get("a") ?? {}).sort(), [
        "collections",
        "entry",
        "name",
        "namespace",
        "namespaceIsDeclared",
        "namespaceIsValid",
        "source",
      ]);
      deepEqual(ignored.map(({ pointer, level }) => [pointer, level]), [
        [`/a/${field}`, "warning"],
      ]);
      match(ignored[0]?.reason ?? "", expected);
    }
  }
});

Deno.test("parseRoots() keeps the good items of a damaged list", () => {
  const { parsed, ignored } = roots({ a: { default_skills: ["x", 1, "y"] } });
  deepEqual(parsed.get("a")?.defaultSkills, ["x", "y"]);
  equal(ignored[0]?.pointer, "/a/default_skills/1");
});

Deno.test("parseRoots() keeps a root with a name like a built-in member", () => {
  const { parsed } = roots(
    JSON.parse('{"__proto__": {"url": "u"}, "constructor": {}}'),
  );
  deepEqual([...parsed.keys()], ["__proto__", "constructor"]);
  equal(parsed.get("__proto__")?.url, "u");
});

Deno.test("parseRoots() lists at most 1,000 ignored things and says how many more", () => {
  const wrecked = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`r${index}`, index]),
  );
  const { ignored, list } = roots(wrecked);
  equal(list.total, 5_000);
  equal(ignored.length, MAX_IGNORED + 1);
  match(ignored.at(-1)?.reason ?? "", /^And 4000 more/);
});

Deno.test("parseArtifacts() reads goals out of their wrapper", () => {
  const ignored = new IgnoredList();
  const document = { $schema: "s", goals: { g: { name: "Goal" } } };
  const parsed = parseArtifacts(document, {
    kind: "goals",
    source: "goals.json",
    ignored,
  });
  equal(parsed.get("g")?.title, "Goal");
});

Deno.test("parseArtifacts() takes an MCP server called goals for a server", () => {
  const ignored = new IgnoredList();
  const document = { goals: { title: "G" }, other: { title: "O" } };
  const parsed = parseArtifacts(document, {
    kind: "mcp",
    source: "mcp.json",
    ignored,
  });
  deepEqual([...parsed.keys()], ["goals", "other"]);
});

Deno.test("parseDocument() says what a text is that is no JSON object", () => {
  const reasons: [string, RegExp][] = [
    ["", /empty/],
    ["  \n", /empty/],
    ["<!doctype html><p>", /HTML/],
    ['{"a":1,\n\nb}', /line 3/],
    ['{"a":}', /^Not valid JSON$/],
    ["[1]", /got a list/],
    ["null", /got null/],
    ['"x"', /got "x"/],
  ];
  for (const [text, reason] of reasons) {
    const parsed = parseDocument(text);
    equal(parsed.ok, false);
    if (!parsed.ok) match(parsed.reason, reason, text);
  }
});

Deno.test("parseDocument() accepts a byte order mark", () => {
  equal(parseDocument('\ufeff{"a":{}}').ok, true);
});
