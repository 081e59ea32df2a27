import { deepEqual, equal } from "node:assert/strict";
import type { NewLogEvent } from "../../cortex/local/port.ts";
import { entryOf } from "../../tests/support/log_entry.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { PostgresEventLog } from "./event_log.ts";

const SCOPE = "org:a/ws:main";

function event(text: string): NewLogEvent {
  return {
    scope: SCOPE,
    actor: "user:alice",
    modality: "conversation",
    kind: "text",
    labels: [],
    content: { kind: "text", text },
    context: {},
    index: entryOf(text),
    observedAt: undefined,
    idempotencyKey: undefined,
    bodyHash: "x",
  };
}

async function openCounts() {
  const test = await openTestDb();
  const log = new PostgresEventLog(() => Promise.resolve(test.db));
  return {
    log,
    db: test.db,
    /** Every second text is about a walnut, the 700th about a quince. */
    async write(count: number) {
      for (let at = 0; at < count; at += 100) {
        await log.append(
          Array.from({ length: Math.min(100, count - at) }, (_, n) =>
            event(
              at + n === 700 ? "quince" : (at + n) % 2 === 0 ? "walnut" : "fig",
            )),
        );
      }
    },
    async frequencies(...terms: readonly string[]) {
      const { frequencies } = await log.frequencies({
        scopes: [SCOPE],
        queries: terms.map((term) => [term]),
      });
      return frequencies;
    },
    async counts() {
      const rows = await test.db.read(
        "select term, passages::int as passages from cortex_term_counts order by term",
      );
      return rows.map(({ term, passages }) => [term, passages]);
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

Deno.test("common terms are counted ahead by whoever writes, rare ones when asked for", async () => {
  await using test = await openCounts();
  await test.write(999);
  deepEqual(await test.counts(), []);
  await test.write(1);
  deepEqual(await test.counts(), [["fig", 499], ["walnut", 500]]);
  deepEqual(await test.frequencies("walnut", "quinc", "pear"), [500, 1, 0]);
  // What is not counted yet is taken to be like what is.
  await test.write(1_000);
  await test.log.append([event("fig")]);
  const [walnut = 0] = await test.frequencies("walnut");
  equal(Math.round(walnut / 10), 100);
});

Deno.test("what an earlier version stored is counted in the background, root by root, once", async () => {
  await using test = await openCounts();
  await test.write(2_500);
  await test.db.write("delete from cortex_term_counts");
  await test.db.write("delete from cortex_term_marks");
  deepEqual(
    [
      await test.log.countTerms(),
      await test.log.countTerms(),
      await test.log.countTerms(),
    ],
    [true, true, false],
  );
  const counts = await test.counts();
  deepEqual(counts.map(([term]) => term), ["fig", "walnut"]);
});

Deno.test("two that count at once count nothing twice", async () => {
  await using test = await openCounts();
  await test.write(1_500);
  const before = await test.counts();
  await Promise.all(
    Array.from({ length: 4 }, () => test.log.countTerms()),
  );
  deepEqual(await test.counts(), before);
});

Deno.test("a term goes from the counts with its last passage", async () => {
  await using test = await openCounts();
  await test.write(1_000);
  const events = await test.db.read(
    "select id from cortex_events where content ->> 'text' = 'walnut'",
  );
  await test.log.forget({
    scope: SCOPE,
    ids: events.map(({ id }) => `evt_${String(id).replaceAll("-", "")}`),
    recordedFrom: undefined,
    recordedTo: undefined,
    actor: "user:alice",
    note: undefined,
  });
  deepEqual(await test.counts(), [["fig", 500]]);
  deepEqual(await test.frequencies("walnut", "fig"), [0, 500]);
});
