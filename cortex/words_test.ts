import { deepEqual, equal } from "node:assert/strict";
import { parseNode } from "./layout/node.ts";
import { DEFAULT_CHAT_NODE, KINDS, LEAVES, ROOT_NODE } from "./words.ts";

Deno.test("the nodes that have names are what parseNode() reads", () => {
  for (const node of [ROOT_NODE, DEFAULT_CHAT_NODE]) {
    equal(parseNode(node), node);
  }
});

Deno.test("every kind has a leaf of its own", () => {
  deepEqual(Object.keys(LEAVES), KINDS);
  equal(new Set(Object.values(LEAVES)).size, KINDS.length);
});
