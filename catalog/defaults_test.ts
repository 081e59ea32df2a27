import { deepEqual, ok } from "node:assert/strict";

import { openCatalog } from "./loader.ts";
import type { CatalogSnapshot } from "./types.ts";

const SOURCE = new URL("../tests/data/catalog/air.json", import.meta.url).href;

/** The test catalog, where "plot" is an old name of "garden". */
async function withCatalog(
  look: (snapshot: CatalogSnapshot) => void,
): Promise<void> {
  const aliases = { plot: "garden" };
  await using catalog = openCatalog({ source: SOURCE, aliases });
  look(await catalog.current());
}

function defaultsOf(snapshot: CatalogSnapshot, name: string) {
  const root = snapshot.findRoot(name);
  ok(root);
  return snapshot.effectiveDefaults(root);
}

Deno.test("effectiveDefaults() gathers what names the root in default_in_roots", async () => {
  await withCatalog((snapshot) => {
    const expected = {
      goal: "tidy-beds",
      branch: "main",
      mcpServers: ["maps", "weather"],
      skills: ["pruning", "sowing"],
      hooks: ["log-start"],
      plugins: ["almanac"],
      subagentRoots: ["garden-research", "garden-planting"],
    };
    deepEqual(defaultsOf(snapshot, "garden"), expected);
    deepEqual(defaultsOf(snapshot, "plot"), expected);
  });
});

Deno.test("effectiveDefaults() puts the root's own lists first, and each name once", async () => {
  await withCatalog((snapshot) => {
    deepEqual(defaultsOf(snapshot, "library"), {
      runtime: "command",
      model: "small",
      mcpServers: ["weather", "maps"],
      skills: ["sowing"],
      hooks: [],
      plugins: [],
      subagentRoots: ["garden", "nobody"],
    });
  });
});

Deno.test("effectiveDefaults() is empty for a root that nothing names", async () => {
  await withCatalog((snapshot) => {
    deepEqual(defaultsOf(snapshot, "garden-planting"), {
      mcpServers: [],
      skills: [],
      hooks: [],
      plugins: [],
      subagentRoots: [],
    });
  });
});

Deno.test("a snapshot's roots are those that a session can have, each once", async () => {
  await withCatalog((snapshot) => {
    deepEqual([...snapshot.roots.keys()], [
      "garden",
      "garden-research",
      "garden-planting",
      "library",
    ]);
    const { command, permission, maxTurnMinutes } =
      snapshot.findRoot("library") ?? {};
    deepEqual([command, permission, maxTurnMinutes], [
      ["sh", "-c", "cat"],
      "read",
      30,
    ]);
  });
});
