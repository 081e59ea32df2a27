import { deepEqual, equal, match, ok } from "node:assert/strict";
import fc from "fast-check";
import { type Connector, entryOf } from "../../mcp/mod.ts";
import { mergeEntry, type TextForm, type Values } from "./entry_text.ts";
import { jsonForm } from "./json_text.ts";
import { tomlForm } from "./toml_text.ts";

const JSON_FORM = jsonForm("mcpServers");
const TOML_FORM = tomlForm("mcp_servers");

const CONNECTORS: readonly Connector[] = [
  {
    kind: "stdio",
    command: ["deno", "run", 'a "b"', "ü"],
    env: { ROOTCELLAR_HOME: "/data" },
  },
  { kind: "stdio", command: ["deno"], env: {} },
  {
    kind: "http",
    url: "http://127.0.0.1:7668/mcp?tool_groups=root_data",
    header: ["X-API-Key", "rck_x"],
  },
];
const [STDIO, , HTTP] = CONNECTORS as [Connector, Connector, Connector];

/** The text with the entry. */
function merged(
  text: string,
  form: TextForm,
  connector: Connector,
  name = "rootcellar",
): string {
  const client = form === TOML_FORM ? "codex" : "claude";
  const outcome = mergeEntry(text, form, {
    name,
    entry: entryOf(client, connector),
  });
  ok(outcome.ok, outcome.ok ? "" : `${outcome.reason}\n${text}`);
  return outcome.text;
}

function refusalOf(text: string, form: TextForm): string {
  const outcome = mergeEntry(text, form, {
    name: "rootcellar",
    entry: { command: "deno" },
  });
  ok(!outcome.ok, text);
  return outcome.reason;
}

/** Our entry, and all else that a text says. */
function split(text: string, form: TextForm): readonly [Values, unknown] {
  const { [form.servers]: all = {}, ...rest } = form.parse(
    text.replace(/^\ufeff/, ""),
  );
  const { rootcellar = {}, ...others } = all as Values;
  return [
    rootcellar as Values,
    form.parse === TOML_FORM.parse
      ? [rest, others]
      : JSON.parse(JSON.stringify([rest, others])),
  ];
}

/** What stays of an entry, whatever the transport. */
const OWN = { enabled: false, tool_timeout_sec: 120 };

Deno.test("however our table is written in TOML, it says the new entry, and our users' settings of it", () => {
  const table: readonly [string, string][] = [
    ["an inline table", '[mcp_servers]\nrootcellar = { command = "old" }\n'],
    ["dotted keys", 'mcp_servers.rootcellar.command = "old"\n'],
    [
      "an array over several lines",
      '[mcp_servers.rootcellar]\ncommand = "x"\nargs = [\n"a",\n[ "x" ]\n]\n',
    ],
    [
      "sub-tables",
      '[mcp_servers.rootcellar]\ncommand = "x"\n[mcp_servers.rootcellar.env]\nA = "1"\n',
    ],
    ["sub-tables alone", '[mcp_servers.rootcellar.env]\nA = "1"\n'],
    ["quoted names", '[ "mcp_servers" . \'rootcellar\' ] # c\ncommand = "x"\n'],
    ["one inline table of all", 'mcp_servers = { o = { command = "x" } }\n'],
    ["a header in a string", 's = """\n[mcp_servers.rootcellar]\n"""\n'],
    ["no line end", 'a = 1\n[mcp_servers.rootcellar]\ncommand = "x"'],
    ["a header alone, no line end", "[mcp_servers.rootcellar]"],
    [
      "a file with trailing commas",
      'a = [ "b", ]\nmcp_servers = { o = { command = "x" } }\n',
    ],
    ["dotted neighbours", 'mcp_servers.o = { command = "x" }\n[a]\nb = 1\n'],
  ];
  for (const [what, text] of table) {
    for (const connector of CONNECTORS) {
      const after = merged(text, TOML_FORM, connector);
      const [entry, rest] = split(after, TOML_FORM);
      deepEqual(entry, entryOf("codex", connector), what);
      deepEqual(rest, split(text, TOML_FORM)[1], what);
      // TOML 1.0, as clients read it.
      equal(/, *\}/.test(after), false, after);
      equal(merged(after, TOML_FORM, connector), after, what);
    }
  }
});

Deno.test("an entry keeps what its user set, and loses what is of the other transport", () => {
  const toml = [
    "[mcp_servers.rootcellar]",
    'command = "old" # c',
    'cwd = "/x"',
    "enabled = false # not now",
    "tool_timeout_sec = 120",
    "[mcp_servers.rootcellar.env]",
    'A = "1"',
    "[mcp_servers.rootcellar.tools.put_root_record]",
    'approval_mode = "auto"',
    "",
    "# about the other",
    "[mcp_servers.other]",
    'command = "x"',
    "",
  ].join("\n");
  const tools = { put_root_record: { approval_mode: "auto" } };
  const http = merged(toml, TOML_FORM, HTTP);
  deepEqual(split(http, TOML_FORM)[0], {
    ...entryOf("codex", HTTP),
    ...OWN,
    tools,
  });
  match(http, /enabled = false # not now/);
  match(http, /\n# about the other\n\[mcp_servers.other\]/);
  deepEqual(split(merged(http, TOML_FORM, STDIO), TOML_FORM)[0], {
    ...entryOf("codex", STDIO),
    ...OWN,
    tools,
  });
  const own = { alwaysLoad: true, trust: true, timeout: 5, disabled: false };
  const json = JSON.stringify({
    mcpServers: { rootcellar: { type: "http", url: "u", headers: {}, ...own } },
  });
  const stdio = merged(json, JSON_FORM, STDIO);
  deepEqual(split(stdio, JSON_FORM)[0], {
    ...entryOf("claude", STDIO),
    ...own,
  });
  deepEqual(split(merged(stdio, JSON_FORM, HTTP), JSON_FORM)[0], {
    ...entryOf("claude", HTTP),
    ...own,
  });
});

Deno.test("JSON keeps its comments, trailing commas, indent, line ends and byte order mark", () => {
  const text = [
    "\ufeff{",
    "\t// mine",
    '\t"theme": "dark",',
    '\t"mcpServers": {',
    '\t\t"other": { "command": "x", }, // o',
    "\t\t/* ours */",
    '\t\t"rootcellar": {',
    '\t\t\t"command": "x", // c',
    '\t\t\t"alwaysLoad": true, // a',
    "\t\t},",
    "\t},",
    "}",
    "",
  ].join("\r\n");
  const after = merged(text, JSON_FORM, HTTP);
  for (
    const part of [
      "\ufeff{\r\n\t// mine\r\n",
      '{ "command": "x", }, // o\r\n\t\t/* ours */\r\n',
      '\r\n\t\t\t"alwaysLoad": true, // a\r\n',
      '\r\n\t\t\t"url": ',
    ]
  ) ok(after.includes(part), after);
  equal(/[^\r]\n/.test(after), false);
});

Deno.test("two entries with names of their own stand side by side", () => {
  for (const form of [TOML_FORM, JSON_FORM]) {
    const one = merged("", form, STDIO, "gardener");
    const both = merged(one, form, HTTP, "librarian");
    const servers = form.parse(both)[form.servers] as Values;
    deepEqual(Object.keys(servers).sort(), ["gardener", "librarian"]);
    deepEqual(
      servers.gardener,
      (form.parse(one)[form.servers] as Values)
        .gardener,
    );
  }
});

Deno.test("a text that cannot be read, or not be changed safely, is refused with the reason", () => {
  const table: readonly [TextForm, string, RegExp][] = [
    [TOML_FORM, "a = ", /It is not TOML/],
    [TOML_FORM, "[a]\nb = 1\n[a]\n", /It is not TOML/],
    [TOML_FORM, "a = 1\na = 2\n", /It is not TOML/],
    [TOML_FORM, "mcp_servers = 1", /Its "mcp_servers" is not a group/],
    [TOML_FORM, "[[mcp_servers]]", /Its "mcp_servers" is not a group/],
    [TOML_FORM, "mcp_servers.rootcellar = 1", /rootcellar" is not a server's/],
    [JSON_FORM, "{", /It is not JSON \(line 1/],
    [JSON_FORM, '{\n"a": tru }', /It is not JSON \(line 2/],
    [JSON_FORM, "[]", /It does not hold a JSON object/],
    [JSON_FORM, "1", /It does not hold a JSON object/],
    [JSON_FORM, '{"a":1,"a":2}', /A name stands twice/],
    [JSON_FORM, '{"mcpServers":1}', /Its "mcpServers" is not a group/],
    [JSON_FORM, '{"mcpServers":{"rootcellar":[]}}', /is not a server's entry/],
  ];
  for (const [form, text, reason] of table) {
    match(refusalOf(text, form), reason, text);
  }
});

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const connector = fc.constantFrom(...CONNECTORS);
const eol = fc.constantFrom("\n", "\r\n");

/** A value of TOML as it may be written. */
const tomlValue = fc.oneof(
  word.map((text) => `"${text} # no comment"`),
  word.map((text) => `'[${text}]'`),
  word.map((text) => `"""\n[${text}]\n# no comment\n"""`),
  fc.constantFrom("1_000", "0x1F", "-0.5e3", "inf", "true", "[]", "{ }"),
  fc.constantFrom("1979-05-27T07:32:00Z", "1979-05-27", "07:32:00.5"),
  fc.constantFrom('[ "a", # in an array\n  [ "b" ],\n]', "{ a.b = 1, c = 2 }"),
);
const comment = word.map((text) => `# about ${text}`);
const members = fc.uniqueArray(fc.tuple(word, tomlValue, fc.option(comment)), {
  selector: ([name]) => name,
  maxLength: 3,
}).map((all) =>
  all.map(([name, value, note]) =>
    `${name} = ${value}${note === null ? "" : ` ${note}`}`
  )
);
/** Tables of other programs; the numbers keep them apart. */
const tables = fc.array(fc.tuple(comment, word, members, fc.boolean()), {
  maxLength: 3,
}).map((all) =>
  all.map(([note, name, lines, isServer], at) => [
    note,
    isServer ? `[mcp_servers.${name}${at}]` : `[[${name}${at}.list]]`,
    ...lines,
    "",
  ])
);
const ours = fc.constantFrom(
  [],
  ["[mcp_servers.rootcellar]", 'url = "u" # u', "enabled = false"],
  [
    "[mcp_servers.rootcellar]",
    "args = [",
    '  "a", # a',
    '  [ "b" ],',
    "]",
    "enabled = false # mine",
    "[mcp_servers.rootcellar.tools.t]",
    'approval_mode = "auto"',
  ],
  ["[mcp_servers.rootcellar.env]", 'A = "1"'],
  ["[mcp_servers]", 'rootcellar.command = "x"', "rootcellar.enabled = false"],
  ["[mcp_servers]", 'rootcellar = { url = "u", enabled = false } # u'],
);

Deno.test("property: in TOML everything outside our entry says what it said, comments too", () => {
  fc.assert(
    fc.property(
      members,
      tables,
      ours,
      tables,
      eol,
      connector,
      (head, above, entry, below, end, way) => {
        const others = [
          ...head,
          "",
          ...above.flat(),
          ...below.flat().map((line) =>
            line.replace(/^(\[+[a-z_.]*)/, "$1below_")
          ),
        ];
        const at = head.length + 1 + above.flat().length;
        const lines = [
          ...others.slice(0, at),
          ...entry,
          "",
          ...others.slice(at),
        ];
        const text = lines.join("\n").replaceAll("\n", end);
        const [old, rest] = split(text, TOML_FORM);
        const after = merged(text, TOML_FORM, way);
        const [now, same] = split(after, TOML_FORM);
        deepEqual(same, rest);
        deepEqual(now, {
          ...("enabled" in old ? { enabled: false } : {}),
          ...("tools" in old ? { tools: old.tools } : {}),
          ...entryOf("codex", way),
        });
        for (const note of others.join("\n").match(/# about [a-z]+/g) ?? []) {
          ok(after.includes(note), `${note} went:\n${after}`);
        }
        equal(merged(after, TOML_FORM, way), after);
      },
    ),
  );
});

Deno.test("property: in JSON everything outside our entry says what it said, comments too", () => {
  const entry = fc.constantFrom(
    undefined,
    { command: "x", args: ["a", ["b"]], alwaysLoad: true },
    { type: "http", url: "u", headers: { a: "b" }, alwaysLoad: true },
  );
  const others = fc.dictionary(word, fc.jsonValue({ noUnicodeString: false }), {
    maxKeys: 3,
  });
  const indent = fc.constantFrom(0, 2, 4, "\t");
  fc.assert(
    fc.property(
      others,
      others,
      entry,
      indent,
      eol,
      connector,
      (rest, neighbours, old, space, end, way) => {
        const plain = JSON.stringify(
          {
            ...rest,
            mcpServers: {
              ...neighbours,
              ...(old === undefined ? {} : { rootcellar: old }),
            },
          },
          null,
          space,
        );
        const notes = /^[ \t]+"[a-z]+": /gm;
        const text = plain.replace(notes, (line) => `// about it\n${line}`)
          .replaceAll("\n", end);
        const after = merged(text, JSON_FORM, way);
        const [now, same] = split(after, JSON_FORM);
        deepEqual(same, split(text, JSON_FORM)[1]);
        deepEqual(now, {
          ...(old === undefined ? {} : { alwaysLoad: true }),
          ...entryOf("claude", way),
        });
        equal(merged(after, JSON_FORM, way), after);
      },
    ),
  );
});
