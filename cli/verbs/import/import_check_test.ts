import { equal, match } from "node:assert/strict";
import { openCatalog } from "../../../catalog/mod.ts";
import { declarationCheck } from "./import_check.ts";

const ROOTS = {
  gardener: {
    name: "gardener",
    data_collections: {
      notes: { schema: { type: "object", required: ["title"] } },
      free: {},
    },
  },
  shed: {
    name: "shed",
    data_namespace: "gardener",
    data_collections: {
      notes: { schema: { type: "object", required: ["label"] } },
      tools: {},
    },
  },
};

/** What the check says about data in a collection of the gardener. */
async function verdict(
  collection: string,
  data: unknown,
  { namespace = "gardener", takesUndeclared = false } = {},
): Promise<string | undefined> {
  const folder = await Deno.makeTempDir();
  try {
    const source = `${folder}/roots.json`;
    await Deno.writeTextFile(source, JSON.stringify(ROOTS));
    await using catalog = openCatalog({ source });
    const check = declarationCheck(await catalog.current(), takesUndeclared);
    return await check({ namespace, collection, data });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a collection that a root of the namespace declares is allowed", async () => {
  equal(await verdict("free", {}), undefined);
  equal(await verdict("tools", {}), undefined);
});

Deno.test("data must match the schema of one root that declares the collection", async () => {
  equal(await verdict("notes", { title: "x" }), undefined);
  equal(await verdict("notes", { label: "x" }), undefined);
  const reason = await verdict("notes", {}) ?? "";
  match(reason, /root "gardener".*title/);
  match(reason, /root "shed".*label/);
});

Deno.test("an undeclared collection is refused, and allowed when told so", async () => {
  match(
    await verdict("nope", {}) ?? "",
    /"nope" is not declared by "gardener", "shed"/,
  );
  equal(await verdict("nope", {}, { takesUndeclared: true }), undefined);
});

Deno.test("a namespace that no root has is refused, and allowed when told so", async () => {
  const namespace = "attic";
  match(
    await verdict("c", {}, { namespace }) ?? "",
    /has the namespace "attic"/,
  );
  equal(
    await verdict("c", {}, { namespace, takesUndeclared: true }),
    undefined,
  );
});

Deno.test("schemas hold for declared collections even where undeclared ones are taken", async () => {
  match(await verdict("notes", {}, { takesUndeclared: true }) ?? "", /schema/);
});
