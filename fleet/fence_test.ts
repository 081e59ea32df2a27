import { equal, rejects } from "node:assert/strict";
import { admitsRoot, admitsSession, assertWithinFence } from "./fence.ts";
import { openTestFleet } from "../tests/support/fleet.ts";

const FENCED = { allowedAgentRoots: ["gardener"], sessionId: 7 };

Deno.test("a connection without a fence may act on every session, placed or not", async () => {
  await using test = await openTestFleet();
  const { catalog } = test.fleet;
  const open = { allowedAgentRoots: null, sessionId: null };
  const snapshot = await catalog.current();
  equal(admitsRoot(open, snapshot, null), true);
  equal(admitsSession(open, snapshot, { id: 1, agentRootKey: "gone" }), true);
  await assertWithinFence(catalog, open, { id: 1, agentRootKey: null });
});

Deno.test("a fence admits by the root that the row names, aliases applied, and its own session", async () => {
  await using test = await openTestFleet({ gardener: {}, librarian: {} }, {
    grower: "gardener",
  });
  const catalog = await test.fleet.catalog.current();
  const rows: [number, string | null, boolean][] = [
    [1, "gardener", true],
    [1, "grower", true],
    [1, "librarian", false],
    [1, "gone", false],
    [1, null, false],
    [7, "librarian", true],
    [7, null, true],
  ];
  for (const [id, agentRootKey, isWithin] of rows) {
    equal(admitsSession(FENCED, catalog, { id, agentRootKey }), isWithin);
  }
  const byAlias = { allowedAgentRoots: ["grower"], sessionId: null };
  equal(admitsRoot(byAlias, catalog, "gardener"), true);
  const unknown = { allowedAgentRoots: ["nowhere"], sessionId: null };
  equal(admitsRoot(unknown, catalog, "gardener"), false);
  equal(admitsRoot(unknown, catalog, "nowhere"), false);
});

Deno.test("a session outside the fence is refused, and the refusal names the fence", async () => {
  await using test = await openTestFleet();
  await rejects(
    assertWithinFence(test.fleet.catalog, FENCED, {
      id: 9,
      agentRootKey: "librarian",
    }),
    {
      code: "outside_fence",
      message: /Session 9 .*allowed_agent_roots: gardener/,
    },
  );
});
