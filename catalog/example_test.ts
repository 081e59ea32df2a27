import { deepEqual, equal, ok } from "node:assert/strict";

import { buildExample } from "./content.ts";
import { CompiledSchemas } from "./snapshot.ts";

Deno.test("the example has two roots and three collections, and no fault", () => {
  const { roots, collectionsTotal, ignored } = buildExample();
  equal(roots.size, 2);
  equal(collectionsTotal, 3);
  deepEqual(ignored, []);
  const collections = [...roots.values()].flatMap((root) => [
    ...root.collections.values(),
  ]);
  equal(collections.filter((one) => one.schema !== undefined).length, 1);
  equal(collections.filter((one) => one.retentionDays !== undefined).length, 1);
});

Deno.test("the example's schema accepts a plant and refuses a nameless one", async () => {
  const root = buildExample().roots.get("gardener");
  ok(root);
  const schema = await new CompiledSchemas().of(root, "plants");
  ok(schema?.ok);
  const plant = { name: "Fern", water_every_days: 3 };
  deepEqual(schema.check(plant), { ok: true });
  equal(schema.check({}).ok, false);
});
