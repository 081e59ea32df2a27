/** How often a recall waits for the database: in rounds, not in time. */
import { equal, ok } from "node:assert/strict";
import { PostgresEventLog } from "../../../store/event_log/mod.ts";
import { learning } from "../../../tests/support/cortex/engine_worlds.ts";
import { openTestDb } from "../../../tests/support/test_db.ts";
import { watchedDb } from "../../../tests/support/watched_db.ts";
import { createDirectClient } from "../../client/mod.ts";
import { createLocalCortex } from "../../local/mod.ts";
import { readEngineSettings } from "../../settings.ts";
import { createEngine } from "../engine.ts";

Deno.test("a recall waits for the database four times, and other phrasings do not wait for each other", async () => {
  await using test = await openTestDb();
  let inFlight = 0;
  let rounds = 0;
  const db = watchedDb(test.db, async (_, run) => {
    if (inFlight++ === 0) rounds++;
    try {
      return await run();
    } finally {
      inFlight--;
    }
  });
  const local = createLocalCortex({
    log: new PostgresEventLog(() => Promise.resolve(db)),
  });
  const engine = createEngine({
    client: createDirectClient({
      endpoint: "http://localhost",
      credential: "any",
      fetch: (input, init) => local.fetch(new Request(input, init)),
    }),
    layout: readEngineSettings({}).layout,
    isVisibleAtOnce: true,
    listsBelow: true,
  });
  await engine.store(
    ["leaks", "is empty", "is full"].map((state, n) =>
      learning("root", `Barrel ${n} of the cellar ${state}`)
    ),
  );
  const roundsOf = async (also: readonly string[]) => {
    rounds = 0;
    const { items } = await engine.recall({
      query: "Which barrel leaks?",
      also,
      filter: {},
      limit: 10,
      textLimit: 300,
    });
    equal(items.length, 3);
    return rounds;
  };
  await roundsOf([]); // What is done once for all is done.
  // What waits to be indexed with the words' counts; the passages; the events
  // with their excerpts; the items.
  equal(await roundsOf([]), 4);
  const several = await roundsOf(["full barrels", "an empty barrel"]);
  // One by one they took nine more.
  ok(several <= 6, `${several} rounds`);
});
