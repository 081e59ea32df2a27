import { equal, ok } from "node:assert/strict";

import { openCatalog } from "./loader.ts";
import { openTestFolder } from "./test_catalog.ts";

const ROOTS = 10_000;

/** A catalog of 10,000 roots and about 20 MB. */
function largeCatalog(): string {
  const description = "A root among many. ".repeat(95);
  return JSON.stringify(Object.fromEntries(
    Array.from({ length: ROOTS }, (_, index) => [`root-${index}`, {
      name: `root-${index}`,
      description,
      url: "https://example.com/repo.git",
      default_skills: ["one", "two", "three"],
      data_namespace: `space-${index}`,
      data_collections: {
        notes: { schema: { type: "object", required: ["title"] } },
        runs: { retention_days: 30 },
      },
    }]),
  ));
}

Deno.test("openCatalog() loads 20 MB and 10,000 roots, and leaves nothing out", async () => {
  const text = largeCatalog();
  ok(text.length > 20_000_000, `${text.length}`);
  await using folder = await openTestFolder({ "roots.json": text });
  await using catalog = openCatalog({ cwd: folder.path });
  const snapshot = await catalog.current();
  equal(snapshot.roots.size, ROOTS);
  equal(snapshot.ignoredTotal, 0);
});
