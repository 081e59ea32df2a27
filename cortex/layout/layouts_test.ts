import { deepEqual, equal, match, ok } from "node:assert/strict";
import { parseNode } from "./node.ts";
import type { RootPath, ScopePath } from "./scope.ts";
import { type EngineSettings, readEngineSettings } from "../settings.ts";

const HOSTED = { wire: "hosted" } as const;

function layoutOf(settings: EngineSettings) {
  return readEngineSettings(settings).layout;
}

const V3 = layoutOf({ scopeRoot: "org:42" });
const LEGACY = layoutOf({});

Deno.test("parse() says why a v3 path is nobody's, and where", () => {
  const flows = /app:flows stands right before the first service:/;
  const brain = /app:brain stands right before the first source:/;
  const table: [path: string, offset: number, reason: RegExp][] = [
    ["org:7/app:learnings", 0, /does not begin with the root "org:42"/],
    ["org:421/app:learnings", 0, /does not begin with the root/],
    ["", 0, /does not begin with the root/],
    ["org:42", 6, /nothing follows the root/],
    ["org:42/", 7, /segment is empty/],
    ["org:42//app:learnings", 7, /segment is empty/],
    ["org:42/app:learnings/", 20, /a leaf ends the path/],
    ["org:42/ws:m", 11, /the leaf is missing/],
    ["org:42/source:x", 15, /the leaf is missing/],
    ["org:42/app:notes", 7, /no leaf/],
    ["org:42/app:flowsy/service:s/app:learnings", 7, /no leaf/],
    ["org:42/app:Learnings", 7, /no leaf/],
    ["org:42/app:learnings/ws:m", 20, /a leaf ends the path/],
    ["org:42/source:x/app:documents", 16, /a document with a source has no/],
    ["org:42/app:brain/source:x/app:documents", 26, /have no leaf/],
    ["org:42/app:brain/source:x/app:learnings", 26, /for documents/],
    ["org:42/app:brain", 16, brain],
    ["org:42/app:brain/app:documents", 17, brain],
    ["org:42/app:brain/ws:m/source:x", 17, brain],
    ["org:42/app:brain/app:brain/source:x", 17, brain],
    ["org:42/app:brain/app:flows/service:s", 17, brain],
    ["org:42/source:x/app:brain/source:y", 16, brain],
    ["org:42/app:brain/source:x/app:brain/source:y", 26, brain],
    ["org:42/app:flows", 16, flows],
    ["org:42/app:flows/app:learnings", 17, flows],
    ["org:42/app:flows/ws:m/service:s/app:learnings", 17, flows],
    ["org:42/app:flows/app:brain/source:x", 17, flows],
    ["org:42/app:flows/app:flows/service:s/app:learnings", 17, flows],
    ["org:42/service:s/app:learnings", 7, flows],
    ["org:42/app:flows/service:s/app:flows/service:t/app:learnings", 27, flows],
    ["org:42/robot:x/app:learnings", 7, /"robot" is no node type/],
    ["org:42/ws:m.n/app:learnings", 11, /id holds "\."/],
    [`org:42/${"ws:m/".repeat(9)}app:learnings`, 47, /at most 8 segments/],
  ];
  for (const [path, offset, reason] of table) {
    const reading = V3.parse(path);
    ok(!reading.ok, path);
    equal(reading.offset, offset, path);
    match(reading.reason, reason);
  }
});

Deno.test("parse() says why a legacy path is nobody's, and where", () => {
  const table: [path: string, offset: number, reason: RegExp][] = [
    ["org:1/app:tinymemory/app:learnings", 0, /does not begin with the root/],
    ["app:tinymemory", 14, /nothing follows the root/],
    ["app:tinymemory/ws:m", 19, /the leaf is missing/],
    ["app:tinymemory/app:brain/source:x", 15, /no leaf/],
    ["app:tinymemory/app:learnings/ws:m", 28, /a leaf ends the path/],
    ["app:tinymemory//app:learnings", 15, /segment is empty/],
    ["app:tinymemory/root/app:learnings", 15, /"root" has no ":"/],
    [`app:tinymemory/${"ws:m/".repeat(9)}app:learnings`, 55, /at most 8/],
  ];
  for (const [path, offset, reason] of table) {
    const reading = LEGACY.parse(path);
    ok(!reading.ok, path);
    equal(reading.offset, offset, path);
    match(reading.reason, reason);
  }
});

Deno.test("parse() tells the fault below the root that the path names", () => {
  const layout = layoutOf({ scopeRoot: "org:42", retiredScopeRoot: "user:42" });
  const fault = (path: string) => {
    const reading = layout.parse(path);
    return reading.ok ? "" : reading.reason;
  };
  match(fault("user:42"), /nothing follows the retired root/);
  match(fault("user:42/ws:m"), /the leaf is missing/);
  match(fault("org:42/ws:m"), /the leaf is missing/);
  match(fault("user:7/ws:m"), /does not begin with the root "org:42"/);
});

Deno.test("parse() gives the path as this engine sends it", () => {
  const table: [EngineSettings, listed: string, sent: string][] = [
    [
      HOSTED,
      "org:t/app:tinymemory/app:learnings",
      "app:tinymemory/app:learnings",
    ],
    [
      { ...HOSTED, scopeRoot: "user:42" },
      "org:t/x/user:42/app:learnings",
      "user:42/app:learnings",
    ],
    [
      { ...HOSTED, tenantRoot: true },
      "org:t/ws:m/app:learnings",
      "ws:m/app:learnings",
    ],
    [{ ...HOSTED, tenantRoot: true }, "app:learnings", "app:learnings"],
    [
      { ...HOSTED, tenantRoot: true, retiredScopeRoot: "user:42" },
      "org:t/user:42/app:learnings",
      "user:42/app:learnings",
    ],
  ];
  for (const [settings, listed, sent] of table) {
    const reading = layoutOf(settings).parse(listed);
    equal(reading.ok && reading.path, sent);
  }
});

Deno.test("parse() takes one well-formed org: segment for the tenant", () => {
  const layout = layoutOf({ ...HOSTED, tenantRoot: true });
  const table: [path: string, ok: boolean][] = [
    ["org:t/app:learnings", true],
    [`org:${"t".repeat(500)}/app:learnings`, true],
    ["org:t/org:t/app:learnings", false],
    ["org:/app:learnings", false],
    ["org:a.b/app:learnings", false],
    ["ws:m/org:t/app:learnings", false],
    ["org:t", false],
    ["org:t/", false],
    ["", false],
    ["/app:learnings", false],
  ];
  for (const [path, own] of table) equal(layout.parse(path).ok, own, path);
});

Deno.test("parse() matches a hosted root's last whole-segment occurrence", () => {
  const layout = layoutOf({ ...HOSTED, scopeRoot: "team:a/team:a" });
  const table: [path: string, node: string | undefined][] = [
    ["team:a/team:a/app:learnings", "root"],
    ["team:a/team:a/team:a/app:learnings", "root"],
    ["team:a/team:a/ws:m/app:learnings", "ws:m"],
    ["xteam:a/team:a/app:learnings", undefined],
    ["team:a/team:ab/team:a/team:a/app:learnings", "root"],
    ["team:a/team:a/ws:m/team:a/team:ab/app:learnings", "ws:m/team:a/team:ab"],
    ["team:a/team:a/ws:m/team:a/team:a", undefined],
  ];
  for (const [path, node] of table) {
    const reading = layout.parse(path);
    equal(reading.ok ? reading.node : undefined, node, path);
  }
});

Deno.test("parse() says why a path is nobody's, and where", () => {
  const reading = V3.parse("org:42/ws:m");
  ok(!reading.ok);
  equal(reading.offset, 11);
  match(reading.reason, /^the leaf/);
});

Deno.test("scopes() spells the same node below both roots", () => {
  const layout = layoutOf({ scopeRoot: "org:42", retiredScopeRoot: "user:42" });
  const node = parseNode("source:x");
  deepEqual(layout.scopes(node, "document"), [
    {
      node,
      kind: "document",
      below: "root",
      path: "org:42/app:brain/source:x",
    },
    {
      node,
      kind: "document",
      below: "retired",
      path: "user:42/app:brain/source:x",
    },
  ]);
});

Deno.test("render() takes no raw string", () => {
  // @ts-expect-error -- a node is made by its parser only
  V3.render("ws:m", "learning");
  // @ts-expect-error -- a kind is one of three
  V3.render(parseNode("ws:m"), "learnings");
  // @ts-expect-error -- a root is made by its parser only
  const root: RootPath = "org:42";
  // @ts-expect-error -- a path is made by a layout only
  const path: ScopePath = `${root}/app:learnings`;
  equal(V3.parse(path).ok, true);
});

Deno.test("checkNode() names the rule that refuses", () => {
  const nested = layoutOf({
    scopeRoot: "org:42",
    retiredScopeRoot: "org:42/user:42",
  });
  const refused = nested.checkNode(parseNode("user:42/ws:m"), "learning");
  ok(!refused.ok);
  equal(refused.code, "reads_otherwise");
  match(
    refused.reason,
    /"org:42\/user:42\/ws:m\/app:learnings" would read back/,
  );
  match(refused.reason, /a learning at node "ws:m" below the retired root$/);

  const own = layoutOf({ scopeRoot: "user:42", retiredScopeRoot: "user:7" });
  const repeated = own.checkNode(parseNode("user:7/ws:m"), "document");
  ok(!repeated.ok);
  equal(repeated.code, "repeats_root");
  match(repeated.reason, /node "user:7\/ws:m" begins with the retired root/);
  ok(own.checkNode(parseNode("user:71"), "document").ok);
});

Deno.test("checkNode() judges each kind by its own path", () => {
  // A document's app:brain parts the root's segments, so it reads back.
  const layout = layoutOf({ ...HOSTED, scopeRoot: "ws:m/source:x" });
  const node = parseNode("agent:a/ws:m/source:x");
  equal(layout.checkNode(node, "learning").ok, false);
  equal(layout.checkNode(node, "document").ok, true);
});

Deno.test("checkNode() foresees the tenant that a backend puts in front", () => {
  const layout = layoutOf({
    ...HOSTED,
    tenantRoot: true,
    retiredScopeRoot: "org:42/user:42",
  });
  // Sent as user:42/…, stored in tenant 42 as org:42/user:42/….
  const check = layout.checkNode(parseNode("user:42/ws:m"), "learning");
  ok(!check.ok);
  equal(check.code, "reads_otherwise");
  ok(layout.checkNode(parseNode("ws:m/user:42"), "learning").ok);
});
