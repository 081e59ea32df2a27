import { equal } from "node:assert/strict";
import { readWatch } from "../../store/turns/mod.ts";
import { openTurnBench } from "../../tests/support/turns.ts";
import { DueTurns } from "./due_turns.ts";

Deno.test("a turn that was tried for in vain is tried for rarely, and a newer one at once", () => {
  let now = 0;
  const due = new DueTurns(() => now);
  equal(due.isWorthTrying(null), false);
  equal(due.isWorthTrying(7), true);
  now = 200;
  equal(due.isWorthTrying(7), false);
  equal(due.isWorthTrying(8), true);
  now = 400;
  equal(due.isWorthTrying(8), false);
  now = 1_200;
  equal(due.isWorthTrying(8), true);
});

Deno.test("the newest turn that is due is seen; one that is not due, and a summary that nobody waits for, wake nobody", async () => {
  await using bench = await openTurnBench();
  const { db } = bench.endpoint.test;
  const id = await bench.start("x");
  const [turn] = await bench.rows("select id from turns");
  const newest = async () => (await readWatch(db)).newestDue;
  equal(await newest(), Number(turn?.id));
  const [summary] = await bench.rows(
    `insert into turns (session_id, ordinal, kind, phase)
       values ($1, 2, 'summary', 'queued') returning id`,
    [id],
  );
  equal(await newest(), Number(summary?.id));
  await bench.rows(
    "update turns set queued_at = now() - interval '16 minutes' where kind = 'summary'",
  );
  equal(await newest(), Number(turn?.id));
  await bench.rows(
    "update turns set not_before = now() + interval '1 hour' where kind = 'start'",
  );
  equal(await newest(), null);
});
