import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  type EngineSettings,
  readEngineSettings,
} from "../../../cortex/mod.ts";
import { layoutOf } from "../../settings/cortex_settings.ts";
import { ConfigError } from "../../settings/config.ts";
import { readConfig } from "../../settings/read_config.ts";
import { helpOf, readCall } from "../../verb.ts";
import { scope } from "./scope.ts";
import { runScopeCommand } from "./scope_command.ts";

const V3 = { scopeRoot: "org:42" };
const RETIRED = { ...V3, retiredScopeRoot: "user:42" };
const TENANT = { wire: "hosted", tenantRoot: true };

function run(line: string, settings: EngineSettings = V3) {
  const [operation = "", ...args] = line.split(" ");
  const { layout } = readEngineSettings(settings);
  return runScopeCommand({ operation, args, layout, json: false });
}

function runJson(line: string, settings: EngineSettings = V3) {
  const [operation = "", ...args] = line.split(" ");
  const { layout } = readEngineSettings(settings);
  const command = { operation, args, layout, json: true };
  const { code, lines } = runScopeCommand(command);
  equal(lines.length, 1);
  return { code, answer: JSON.parse(lines[0] ?? "") };
}

Deno.test("scope render prints one path for a kind", () => {
  deepEqual(run("render source:github/project:api document"), {
    code: 0,
    lines: ["org:42/app:brain/source:github/project:api"],
  });
  deepEqual(run("render agent:a learning", {}), {
    code: 0,
    lines: ["app:tinymemory/agent:a/app:learnings"],
  });
});

Deno.test("scope render prints every kind, and the retired root's paths", () => {
  deepEqual(run("render ws:main", RETIRED), {
    code: 0,
    lines: [
      "document: org:42/ws:main/app:documents",
      "document: user:42/ws:main/app:documents (retired: read only)",
      "conversation: org:42/ws:main/app:conversations",
      "conversation: user:42/ws:main/app:conversations (retired: read only)",
      "learning: org:42/ws:main/app:learnings",
      "learning: user:42/ws:main/app:learnings (retired: read only)",
    ],
  });
});

Deno.test("scope render says that a node is refused, and exits 1", () => {
  const { code, lines } = run("render user:42/ws:main learning", RETIRED);
  equal(code, 1);
  match(
    lines[0] ?? "",
    /^refused: node "user:42\/ws:main" begins with the ret/,
  );
  const { code: jsonCode, answer } = runJson(
    "render user:42 learning",
    RETIRED,
  );
  equal(jsonCode, 1);
  equal(answer.kinds[0].writable, false);
  equal(answer.kinds[0].code, "repeats_root");
});

Deno.test("scope render answers in JSON", () => {
  deepEqual(runJson("render ws:main learning", RETIRED), {
    code: 0,
    answer: {
      node: "ws:main",
      kinds: [{
        kind: "learning",
        writable: true,
        scopes: [
          { below: "root", path: "org:42/ws:main/app:learnings" },
          { below: "retired", path: "user:42/ws:main/app:learnings" },
        ],
      }],
    },
  });
});

Deno.test("scope parse prints what a path means", () => {
  deepEqual(
    run("parse org:t/user:42/ws:m/app:learnings", {
      ...TENANT,
      retiredScopeRoot: "user:42",
    }),
    {
      code: 0,
      lines: [
        "node: ws:m",
        "kind: learning",
        "below: the retired root",
        "path: user:42/ws:m/app:learnings",
      ],
    },
  );
  deepEqual(runJson("parse org:42/app:documents"), {
    code: 0,
    answer: {
      ok: true,
      node: "root",
      kind: "document",
      below: "root",
      path: "org:42/app:documents",
    },
  });
});

Deno.test("scope parse says why a path is nobody's, and exits 1", () => {
  deepEqual(run("parse org:42/service:s/app:learnings"), {
    code: 1,
    lines: [
      "nobody's: app:flows stands right before the first service:, " +
      "and nowhere else",
      'at 7: "service:s/app:learnings"',
    ],
  });
  deepEqual(run("parse org:42/ws:m"), {
    code: 1,
    lines: ["nobody's: the leaf is missing", "at its end"],
  });
  const { code, answer } = runJson("parse org:42");
  equal(code, 1);
  deepEqual(answer, {
    ok: false,
    reason: "nothing follows the root",
    offset: 6,
  });
});

Deno.test("scope parse takes a path as it is, the empty one too", () => {
  const { layout } = readEngineSettings(V3);
  const command = { operation: "parse", layout, json: false };
  equal(runScopeCommand({ ...command, args: [""] }).code, 1);
  const spaced = runScopeCommand({
    ...command,
    args: [" org:42/app:learnings"],
  });
  equal(spaced.code, 1);
});

Deno.test("scope prefixes prints what is listed", () => {
  deepEqual(run("prefixes source:x"), {
    code: 0,
    lines: ["org:42/source:x", "org:42/app:brain/source:x"],
  });
  deepEqual(run("prefixes root", TENANT), {
    code: 0,
    lines: ["(no prefix: the whole tenant is listed)"],
  });
  deepEqual(runJson("prefixes root", TENANT), {
    code: 0,
    answer: { node: "root", prefixes: [""] },
  });
});

Deno.test("scope exits 2 on a command that makes no sense", () => {
  const table: [line: string, problem: RegExp][] = [
    ["move ws:main", /^Unknown operation "move"; one of: render parse prefix/],
    ["", /^Unknown operation ""/],
    ["render", /^Usage: scope render NODE \[KIND\]$/],
    ["render a b c", /^Usage: scope render/],
    ["parse a b", /^Usage: scope parse PATH$/],
    ["parse", /^Usage: scope parse PATH$/],
    ["prefixes ws:main learning", /^Usage: scope prefixes NODE$/],
    ["render robot:x", /^Cannot read node "robot:x": "robot" is no node type/],
    ["render ws:main notes", /^Cannot read kind "notes": kinds: document/],
    ["prefixes ws", /^Cannot read node "ws"/],
  ];
  for (const [line, problem] of table) {
    const { code, lines } = run(line);
    equal(code, 2, line);
    equal(lines.length, 1);
    match(lines[0] ?? "", problem);
    const { code: jsonCode, answer } = runJson(line);
    equal(jsonCode, 2);
    match(answer.errors[0], problem);
  }
});

/** What `scope` reads from a command line and an environment. */
async function read(line: string, env: Readonly<Record<string, string>> = {}) {
  const { flags, words } = readCall("scope", scope, line.split(" "));
  const config = await readConfig(scope.settings, {
    flags,
    env: (name) => env[name],
    os: "linux",
    uid: 1000,
  });
  const [operation = "", ...args] = words;
  const { layout } = layoutOf(config);
  return runScopeCommand({ operation, args, layout, json: false }).lines;
}

async function problemsOf(...given: Parameters<typeof read>) {
  try {
    return await read(...given);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

Deno.test("scope reads the settings of the layout, from flags before the environment", async () => {
  const line = "render ws:main conversation";
  const env = { CORTEX_SCOPE_ROOT: "org:7", CORTEX_RETIRED_ROOT: "user:7" };
  deepEqual(await read(`${line} --cortex-scope-root org:42`), [
    "org:42/ws:main/app:conversations",
  ]);
  deepEqual(await read(`${line} --cortex-scope-root org:42`, env), [
    "org:42/ws:main/app:conversations",
    "user:7/ws:main/app:conversations (retired: read only)",
  ]);
  deepEqual(
    await read(`${line} --cortex-wire hosted --cortex-tenant-root on`),
    ["ws:main/app:conversations"],
  );
  deepEqual(
    await read(line, { CORTEX_WIRE: "hosted", CORTEX_TENANT_ROOT: "1" }),
    [
      "ws:main/app:conversations",
    ],
  );
});

Deno.test("scope takes a blank variable as unset, and does not look at others", async () => {
  const env = {
    CORTEX_SCOPE_ROOT: "",
    CORTEX_RETIRED_ROOT: " ",
    CORTEX_TENANT_ROOT: "",
    CORTEX_WIRE: "",
    CORTEX_SCOPE_OWNER: "",
    CORTEX_API_KEY: "needs a URL elsewhere",
    PORT: "x",
  };
  deepEqual(await read("render ws:main learning", env), [
    "app:tinymemory/ws:main/app:learnings",
  ]);
});

Deno.test("scope names every bad setting by its variable, all at once", async () => {
  const problems = await problemsOf("render ws:main", {
    CORTEX_WIRE: "x",
    CORTEX_SCOPE_ROOT: "org",
    CORTEX_RETIRED_ROOT: "org",
    CORTEX_TENANT_ROOT: "on",
    CORTEX_SCOPE_OWNER: "user:\u0001",
  });
  deepEqual(problems.map((line) => line.split(":")[0]), [
    "CORTEX_WIRE",
    "CORTEX_TENANT_ROOT",
    "CORTEX_TENANT_ROOT",
    "CORTEX_SCOPE_ROOT",
    "CORTEX_RETIRED_ROOT",
    "CORTEX_SCOPE_OWNER",
  ]);
  match(problems[2] ?? "", /excludes CORTEX_SCOPE_ROOT/);
});

Deno.test("scope refuses a switch that is neither on nor off, and foreign flags", async () => {
  const refusals: [string, Record<string, string>, RegExp][] = [
    [
      "render ws:main",
      { CORTEX_TENANT_ROOT: "maybe" },
      /^CORTEX_TENANT_ROOT must be on or off: it is "maybe"$/,
    ],
    [
      "render ws:main --home /x",
      {},
      /^scope does not use --home; see deno task scope --help$/,
    ],
    ["render ws:main --port 1", {}, /^scope does not use --port;/],
    [
      "render ws:main --cortex-api-key k",
      {},
      /^scope does not use --cortex-api-key;/,
    ],
    [
      "render ws:main --scope-root org:42",
      {},
      /^Unknown option '--scope-root'; see/,
    ],
  ];
  for (const [line, env, text] of refusals) {
    const problems = await problemsOf(line, env);
    equal(problems.length, 1, line);
    match(problems[0] ?? "", text);
  }
});

Deno.test("the help of scope names every operation, flag and variable", () => {
  const help = helpOf("scope", scope);
  const words = [
    "render NODE [KIND]",
    "parse PATH",
    "prefixes NODE",
    "--cortex-wire",
    "--cortex-scope-root",
    "--cortex-tenant-root",
    "--cortex-retired-root",
    "--cortex-scope-owner",
    "--json",
    "--help",
    "CORTEX_WIRE",
    "CORTEX_SCOPE_ROOT",
    "CORTEX_TENANT_ROOT",
    "CORTEX_RETIRED_ROOT",
    "CORTEX_SCOPE_OWNER",
  ];
  for (const word of words) ok(help.includes(word), word);
  for (const word of ["--home", "CORTEX_URL"]) ok(!help.includes(word), word);
});
