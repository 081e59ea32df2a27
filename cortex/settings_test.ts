import { deepEqual, equal, match } from "node:assert/strict";
import { CortexConfigError } from "./errors.ts";
import { type EngineSettings, readEngineSettings } from "./settings.ts";

/** Setting and message of every problem, as `setting: message`. */
function problemsOf(settings: EngineSettings): readonly string[] {
  try {
    readEngineSettings(settings);
  } catch (error) {
    if (!(error instanceof CortexConfigError)) throw error;
    return error.problems.map((one) => `${one.setting}: ${one.message}`);
  }
  return [];
}

const HOSTED = { wire: "hosted" } as const;

Deno.test("readEngineSettings() chooses the layout", () => {
  const table: [EngineSettings, name: string, root: string][] = [
    [{}, "legacy", "app:tinymemory"],
    [HOSTED, "legacy", "app:tinymemory"],
    [{ tenantRoot: false }, "legacy", "app:tinymemory"],
    [{ scopeRoot: "/org:42/ " }, "v3", "org:42"],
    [{ ...HOSTED, scopeRoot: "user:42" }, "v3", "user:42"],
    [{ ...HOSTED, tenantRoot: true }, "v3", ""],
  ];
  for (const [settings, name, root] of table) {
    const { layout } = readEngineSettings(settings);
    equal(layout.name, name);
    equal(layout.root, root);
    equal(layout.wire, settings.wire ?? "direct");
    equal(layout.retired, undefined);
  }
});

Deno.test("readEngineSettings() refuses one bad setting by its name", () => {
  const root = "org:42";
  const deep = (count: number) => Array(count).fill("org:1").join("/");
  const table: [EngineSettings, problem: RegExp][] = [
    [{ wire: "Direct" }, /^wire: "Direct" is neither/],
    [{ wire: "" }, /^wire: "" is neither/],
    [{ scopeRoot: "" }, /^scopeRoot: .*at least one segment/],
    [{ scopeRoot: "org:42/kb:1" }, /^scopeRoot: .*"kb" is no root type.*at 7/],
    [{ scopeRoot: deep(23) }, /^scopeRoot: has 23 segments, the most is 22/],
    [{ ...HOSTED, scopeRoot: deep(22) }, /^scopeRoot: .*the most is 21/],
    [{ tenantRoot: true }, /^tenantRoot: needs the hosted wire/],
    [{ ...HOSTED, tenantRoot: true, scopeRoot: root }, /^tenantRoot: excludes/],
    [{ retiredScopeRoot: "user:42" }, /^retiredScopeRoot: needs scopeRoot/],
    [
      { ...HOSTED, retiredScopeRoot: "user:42" },
      /^retiredScopeRoot: needs scopeRoot/,
    ],
    [
      { scopeRoot: root, retiredScopeRoot: " org:42/" },
      /^retiredScopeRoot: is the root itself/,
    ],
    [
      { scopeRoot: root, retiredScopeRoot: "" },
      /^retiredScopeRoot: .*at least one segment/,
    ],
    [
      { scopeRoot: root, retiredScopeRoot: "app:learnings" },
      /^retiredScopeRoot: .*reserved/,
    ],
    [{ scopeRoot: root, scopeOwner: " " }, /^scopeOwner: .*not blank/],
    [{ scopeOwner: "" }, /^scopeOwner: .*not blank/],
  ];
  for (const [settings, problem] of table) {
    const problems = problemsOf(settings);
    equal(problems.length, 1, JSON.stringify({ settings, problems }));
    match(problems[0] ?? "", problem);
  }
});

Deno.test("readEngineSettings() refuses a retired root that hides the root", () => {
  const table: [EngineSettings, hidden: boolean][] = [
    [{ scopeRoot: "user:42/ws:x", retiredScopeRoot: "user:42" }, true],
    [{ scopeRoot: "user:42/service:s", retiredScopeRoot: "user:42" }, true],
    [{ scopeRoot: "user:421", retiredScopeRoot: "user:42" }, false],
    [{ scopeRoot: "org:42", retiredScopeRoot: "org:42/user:42" }, false],
    // Direct paths begin with the root; hosted ones may hold it anywhere.
    [{ scopeRoot: "org:1/user:42", retiredScopeRoot: "user:42" }, false],
    [
      { ...HOSTED, scopeRoot: "org:1/user:42", retiredScopeRoot: "user:42" },
      true,
    ],
    // The tenant that the backend puts in front completes the retired root.
    [
      { ...HOSTED, scopeRoot: "user:42", retiredScopeRoot: "org:1/user:42" },
      true,
    ],
    [{ ...HOSTED, tenantRoot: true, retiredScopeRoot: "org:1" }, true],
    [{ ...HOSTED, tenantRoot: true, retiredScopeRoot: "org:1/user:42" }, false],
  ];
  for (const [settings, hidden] of table) {
    const problems = problemsOf(settings);
    const wanted = hidden
      ? ["retiredScopeRoot: hides the root: it is tried first and matches"]
      : [];
    deepEqual(problems, wanted, JSON.stringify(settings));
  }
});

Deno.test("readEngineSettings() reports every problem at once", () => {
  const names = problemsOf({
    wire: "x",
    scopeRoot: "x",
    retiredScopeRoot: "x",
    scopeOwner: "",
  }).map((one) => one.split(":")[0]);
  deepEqual(names, [
    "wire",
    "scopeRoot",
    "retiredScopeRoot",
    "scopeOwner",
  ]);
});

Deno.test("readEngineSettings() keeps the owner only where it is registered", () => {
  const scopeOwner = " user:42 ";
  const owner = (settings: EngineSettings) =>
    readEngineSettings({ ...settings, scopeOwner }).owner;
  equal(owner({ scopeRoot: "org:42" }), "user:42");
  equal(owner({}), undefined);
  equal(owner({ ...HOSTED, scopeRoot: "org:42" }), undefined);
  equal(owner({ ...HOSTED, tenantRoot: true }), undefined);
});
