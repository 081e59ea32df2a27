import { deepEqual, equal } from "node:assert/strict";
import { openPool } from "../../store/pg/postgres.ts";
import { openTestFleet } from "../../tests/support/fleet.ts";
import { startSession } from "./start.ts";

Deno.test("[behaviour 6] fifty parallel starts with one key, on two servers, make one session with one turn", async () => {
  await using opened = await openTestFleet();
  const { fleet, test } = opened;
  await using stack = new AsyncDisposableStack();
  const other = openPool(test.target, { max: 5 });
  stack.defer(() => other.close());
  const second = {
    ...fleet,
    store: { ...fleet.store, db: () => Promise.resolve(other) },
  };
  const all = await Promise.all(
    Array.from(
      { length: 50 },
      (_, n) =>
        startSession(n % 2 === 0 ? fleet : second, {
          agentRoot: n % 3 === 0 ? "gardener" : "librarian",
          drivenBy: "runner",
          prompt: `try ${n}`,
          title: `Try ${n}`,
          idempotencyKey: "7d0a",
        }),
    ),
  );
  equal(new Set(all.map(({ session }) => session.id)).size, 1);
  equal(all.filter(({ isReplay }) => !isReplay).length, 1);
  equal(new Set(all.map(({ session }) => session.title)).size, 1);
  deepEqual(new Set(all.map(({ turn }) => turn?.ordinal)), new Set([1]));
  deepEqual(
    await test.db.read("select count(*)::int as n from turns"),
    [{ n: 1 }],
  );
});
