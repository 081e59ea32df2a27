import { equal } from "node:assert/strict";
import { LOCK_KEYS } from "./locks.ts";

Deno.test("no two advisory locks share a key", () => {
  const keys = Object.values<number>(LOCK_KEYS);
  equal(new Set(keys).size, keys.length);
});
