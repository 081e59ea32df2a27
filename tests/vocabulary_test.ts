import { deepEqual } from "node:assert/strict";
import * as catalog from "../catalog/parse/declarations.ts";
import * as store from "../store/root_data/limits.ts";

Deno.test("catalog and store, which may not import each other, mean the same names", () => {
  deepEqual(
    [
      String(catalog.NAMESPACE_REGEXP),
      catalog.MAX_NAMESPACE_CHARS,
      String(catalog.COLLECTION_NAME_REGEXP),
    ],
    [
      String(store.NAMESPACE_REGEXP),
      store.MAX_NAMESPACE_CHARACTERS,
      String(store.COLLECTION_NAME_REGEXP),
    ],
  );
});
