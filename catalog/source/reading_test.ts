import { deepEqual, equal, match, rejects } from "node:assert/strict";

import { openCatalog } from "../loader.ts";
import { openTestFolder } from "../test_catalog.ts";

async function load(files: Record<string, unknown>) {
  await using folder = await openTestFolder(files);
  await using catalog = openCatalog({ source: "air.json", cwd: folder.path });
  const snapshot = await catalog.current();
  const ignored = snapshot.ignored.map(({ source, pointer, reason }) =>
    `${source.replace(folder.path + "/", "")}#${pointer} ${reason}`
  );
  return { snapshot, ignored };
}

Deno.test("later index files override earlier entries as a whole", async () => {
  const { snapshot } = await load({
    "air.json": { name: "c", roots: ["one.json", "two/roots.json"] },
    "one.json": { a: { url: "1", description: "d" }, b: { url: "1" } },
    "two/roots.json": { a: { url: "2" }, c: {} },
  });
  deepEqual([...snapshot.roots.keys()], ["a", "b", "c"]);
  equal(snapshot.roots.get("a")?.url, "2");
  equal(snapshot.roots.get("a")?.description, undefined);
});

Deno.test("a damaged entry of a later file leaves the earlier one in place", async () => {
  const { snapshot, ignored } = await load({
    "air.json": { roots: ["one.json", "two.json"] },
    "one.json": { a: { url: "1" } },
    "two.json": { a: null, b: {} },
  });
  equal(snapshot.roots.get("a")?.url, "1");
  deepEqual(ignored, [
    "two.json#/a Root skipped: expected an object, got null",
  ]);
});

Deno.test("every kind of index file is read", async () => {
  const index = (name: string) => ({ [name]: { title: name } });
  const { snapshot } = await load({
    "air.json": {
      roots: "roots.json",
      mcp: ["mcp.json"],
      skills: ["skills.json"],
      hooks: ["hooks.json"],
      plugins: ["plugins.json"],
      references: ["references.json"],
    },
    "roots.json": { a: {} },
    "mcp.json": index("m"),
    "skills.json": index("s"),
    "hooks.json": index("h"),
    "plugins.json": index("p"),
    "references.json": index("r"),
    "goals.json": { goals: index("g") },
  });
  const kinds = ["mcp", "skills", "hooks", "plugins", "references", "goals"];
  deepEqual(
    (["mcp", "skills", "hooks", "plugins", "references", "goals"] as const)
      .map((kind) => [...snapshot.artifacts(kind).entries.keys()].join()),
    ["m", "s", "h", "p", "r", "g"],
    kinds.join(),
  );
});

Deno.test("other schemes and damaged references are skipped with a reason", async () => {
  const { snapshot, ignored } = await load({
    "air.json": {
      roots: ["github://me/repo/roots.json", "roots.json", 5, ""],
      mcp: 7,
      catalogs: ["./more"],
    },
    "roots.json": { a: {} },
  });
  deepEqual([...snapshot.roots.keys()], ["a"]);
  deepEqual(ignored.map((line) => line.split(" ")[0]), [
    "air.json#/roots/0",
    "air.json#/roots/2",
    "air.json#/roots/3",
    "air.json#/mcp",
    "air.json#/catalogs",
  ]);
  match(ignored[0] ?? "", /"github:" is not read/);
});

Deno.test("a roots index that cannot be read is a failure, not an empty catalog", async () => {
  const rows: [Record<string, unknown>, RegExp][] = [
    [{ "air.json": { roots: ["none.json"] } }, /none.json": The file does not/],
    [
      { "air.json": { roots: ["github://x/y"] } },
      /No index file under "roots"/,
    ],
    [{ "air.json": { name: "x" } }, /names no index file under "roots"/],
    [{ "air.json": { catalogs: ["x"] } }, /folders under "catalogs" are not/],
    [{ "air.json": { roots: ["r.json"] }, "r.json": "[]" }, /got a list/],
    [{ "air.json": { roots: ["."] } }, /is a folder/],
  ];
  for (const [files, reason] of rows) await rejects(load(files), reason);
});

Deno.test("another index that cannot be read takes no root away and is marked", async () => {
  const { snapshot, ignored } = await load({
    "air.json": { roots: ["roots.json"], skills: ["none.json"] },
    "roots.json": { a: {} },
  });
  equal(snapshot.roots.size, 1);
  match(snapshot.artifacts("skills").incompleteReason ?? "", /none.json/);
  match(ignored[0] ?? "", /The file does not exist/);
  equal(snapshot.artifacts("hooks").incompleteReason, undefined);
});

Deno.test("an AIR file with an empty list of roots is an empty catalog", async () => {
  const { snapshot } = await load({ "air.json": { roots: [] } });
  equal(snapshot.roots.size, 0);
});

Deno.test("a roots file with a damaged root called like a kind stays a roots file", async () => {
  await using folder = await openTestFolder({
    "catalog.json": { mcp: ["x"], hooks: {}, b: {} },
  });
  const source = `file://${folder.path}/catalog.json`;
  await using catalog = openCatalog({ source });
  const snapshot = await catalog.current();
  deepEqual([...snapshot.roots.keys()], ["hooks", "b"]);
});

Deno.test("an AIR file of another name is known by its shape or its $schema", async () => {
  const shaped = { name: "c", roots: ["./roots.json"] };
  const said = { $schema: "https://x/air.schema.json", roots: "roots.json" };
  for (const document of [shaped, said]) {
    await using folder = await openTestFolder({
      "main.json": document,
      "roots.json": { a: {} },
    });
    await using catalog = openCatalog({ source: `${folder.path}/main.json` });
    deepEqual([...(await catalog.current()).roots.keys()], ["a"]);
  }
});

Deno.test("more than 100 index files are not read", async () => {
  const roots = Array.from({ length: 150 }, () => "roots.json");
  const { ignored } = await load({
    "air.json": { roots },
    "roots.json": { a: {} },
  });
  equal(ignored.length, 50);
});
