import { deepEqual, equal, match, ok } from "node:assert/strict";
import { runScopeCommand, SCOPE_USAGE } from "./scope_command.ts";
import type { EngineSettings } from "../../../cortex/mod.ts";

const V3 = { scopeRoot: "org:42" };
const RETIRED = { ...V3, retiredScopeRoot: "user:42" };
const TENANT = { wire: "hosted", tenantRoot: true };

function run(line: string, settings: EngineSettings = V3) {
  const [operation = "", ...args] = line.split(" ");
  return runScopeCommand({ operation, args, settings, json: false });
}

function runJson(line: string, settings: EngineSettings = V3) {
  const [operation = "", ...args] = line.split(" ");
  const command = { operation, args, settings, json: true };
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
  const command = { operation: "parse", settings: V3, json: false };
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

Deno.test("scope names every bad setting by its flag and variable", () => {
  const { code, lines } = run("render ws:main", {
    wire: "x",
    scopeRoot: "org",
    retiredScopeRoot: "org",
    tenantRoot: true,
    scopeOwner: "",
  });
  equal(code, 2);
  deepEqual(lines.map((line) => line.split(":")[0]), [
    "--wire (CORTEX_WIRE)",
    "--tenant-root (CORTEX_TENANT_ROOT)",
    "--tenant-root (CORTEX_TENANT_ROOT)",
    "--scope-root (CORTEX_SCOPE_ROOT)",
    "--retired-root (CORTEX_RETIRED_ROOT)",
    "--scope-owner (CORTEX_SCOPE_OWNER)",
  ]);
});

Deno.test("SCOPE_USAGE names every operation, flag and variable", () => {
  const words = [
    "render NODE [KIND]",
    "parse PATH",
    "prefixes NODE",
    "--wire",
    "--scope-root",
    "--tenant-root",
    "--retired-root",
    "--scope-owner",
    "--json",
    "--help",
    "CORTEX_WIRE",
    "CORTEX_SCOPE_ROOT",
    "CORTEX_TENANT_ROOT",
    "CORTEX_RETIRED_ROOT",
    "CORTEX_SCOPE_OWNER",
  ];
  for (const word of words) ok(SCOPE_USAGE.includes(word), word);
});
