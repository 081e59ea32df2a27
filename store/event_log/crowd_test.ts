import { equal, ok } from "node:assert/strict";
import { search } from "../../cortex/local/search/search.ts";
import { addPersons } from "../../tests/bench/cortex/crowd.ts";
import { entryOf, NO_FILTER } from "../../tests/support/log_entry.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import type { Db, Row } from "../pg/db.ts";
import { PostgresEventLog } from "./event_log.ts";

const SCOPE = "org:a/ws:main";
const EVENTS = 400;
const OTHERS = 25;

function eventOf(number: number) {
  const text = `note ${number} tells of word${number % 40} and word${
    number % 7
  }`;
  return {
    scope: SCOPE,
    actor: "user:alice",
    modality: "conversation",
    kind: "text",
    labels: [`item:${number}`],
    content: { kind: "text", text },
    context: {},
    index: entryOf(text),
    observedAt: undefined,
    idempotencyKey: `key ${number}`,
    bodyHash: text,
  };
}

/** Runs work on a database that counts the pages which statements look at. */
async function pagesOf(
  db: Db,
  work: (log: PostgresEventLog) => Promise<unknown>,
): Promise<number> {
  let pages = 0;
  const explain = async (text: string, params: readonly unknown[] = []) => {
    const [row] = await db.write<Row>(
      `explain (analyze, buffers, format json) ${text}`,
      params,
    );
    const [{ Plan: plan }] = row?.["QUERY PLAN"] as [
      { Plan: Record<string, number> },
    ];
    pages += (plan["Shared Hit Blocks"] ?? 0) +
      (plan["Shared Read Blocks"] ?? 0);
  };
  const counting: Db = {
    ...db,
    async read(text, params) {
      await explain(text, params);
      return await db.read(text, params);
    },
    async write<T extends Row>(text: string, params?: readonly unknown[]) {
      // That stores already, and tells no receipt.
      await explain(text, params);
      return await db.read<T>(
        "select 0 as item, 'stored' as outcome, id as event_id, seq from cortex_events order by seq desc limit 1",
      );
    },
  };
  await work(new PostgresEventLog(() => Promise.resolve(counting)));
  return pages;
}

Deno.test("other persons' memories cost a recall and a store no more pages", async () => {
  await using test = await openTestDb();
  const { db } = test;
  const log = new PostgresEventLog(() => Promise.resolve(db));
  await log.append(Array.from({ length: EVENTS }, (_, at) => eventOf(at)));
  await db.write("vacuum analyze");
  const recall = async (own: PostgresEventLog) => {
    const { hits } = await search(own, {
      scopes: [SCOPE],
      filter: NO_FILTER,
      query: "which note tells of word23 and word5",
      limit: 5,
    });
    equal(hits.length, 5);
  };
  let next = EVENTS;
  const store = async (own: PostgresEventLog) => {
    const outcome = await own.append([eventOf(next++)]);
    ok(outcome.ok);
  };
  const before = [await pagesOf(db, recall), await pagesOf(db, store)];
  await addPersons(db, { from: "org:a", count: OTHERS });
  const [row] = await db.read<Row>(
    "select count(*)::int as count, count(distinct root)::int as roots from cortex_passages",
  );
  equal(row?.roots, OTHERS + 1);
  ok(Number(row?.count) > EVENTS * OTHERS);
  const after = [await pagesOf(db, recall), await pagesOf(db, store)];
  for (const [at, pages] of after.entries()) {
    ok(pages <= 1.3 * (before[at] ?? 0) + 20, `${before} pages, then ${after}`);
  }
});
