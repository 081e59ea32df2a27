import { deepEqual } from "node:assert/strict";
import { COLLECTION_NAME_REGEXP } from "../catalog/parse/declarations.ts";
import {
  MAX_NAMESPACE_CHARS,
  NAMESPACE_REGEXP,
} from "../catalog/parse/namespace.ts";
import * as store from "../store/root_data/limits.ts";

Deno.test("catalog and store, which may not import each other, mean the same names", () => {
  deepEqual(
    [
      String(NAMESPACE_REGEXP),
      MAX_NAMESPACE_CHARS,
      String(COLLECTION_NAME_REGEXP),
    ],
    [
      String(store.NAMESPACE_REGEXP),
      store.MAX_NAMESPACE_CHARACTERS,
      String(store.COLLECTION_NAME_REGEXP),
    ],
  );
});
