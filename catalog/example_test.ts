import { deepEqual, equal, ok } from "node:assert/strict";

import { buildExample } from "./content.ts";
import { CompiledSchemas } from "./snapshot.ts";

Deno.test("the example has a default root and two others, and no fault", () => {
  const { roots, collectionsTotal, ignored } = buildExample();
  deepEqual([...roots.keys()], ["default", "gardener", "librarian"]);
  equal(collectionsTotal, 4);
  deepEqual(ignored, []);
  const collections = [...roots.values()].flatMap((root) => [
    ...root.collections.values(),
  ]);
  equal(collections.filter((one) => one.schema !== undefined).length, 1);
  equal(collections.filter((one) => one.retentionDays !== undefined).length, 2);
});

Deno.test("the default root has free-form notes, kept for 365 days", () => {
  const root = buildExample().roots.get("default");
  equal(root?.namespace, "default");
  deepEqual(
    [...root?.collections ?? []].map(([name, { schema, retentionDays }]) => [
      name,
      schema,
      retentionDays,
    ]),
    [["notes", undefined, 365]],
  );
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
