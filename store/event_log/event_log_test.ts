import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { NewLogEvent } from "../../cortex/local/port.ts";
import { search } from "../../cortex/local/search/search.ts";
import { entryOf, NO_FILTER } from "../../tests/support/log_entry.ts";
import { openTestDb } from "../../tests/support/test_db.ts";
import { watchedDb } from "../../tests/support/watched_db.ts";
import type { Db } from "../pg/db.ts";
import { PostgresEventLog } from "./event_log.ts";
import { listStatement } from "./reads.ts";
import { scopeListStatement } from "./scopes.ts";

function event(text: string, more: Partial<NewLogEvent> = {}): NewLogEvent {
  return {
    scope: "org:a/ws:main",
    actor: "user:alice",
    modality: "conversation",
    kind: "text",
    labels: [],
    content: { kind: "text", text },
    context: {},
    index: entryOf(text),
    observedAt: undefined,
    idempotencyKey: undefined,
    bodyHash: text,
    ...more,
  };
}

function logOn(db: Db): PostgresEventLog {
  return new PostgresEventLog(() => Promise.resolve(db));
}

Deno.test("append() stores and list() gives back", async () => {
  await using test = await openTestDb();
  const log = logOn(test.db);
  const outcome = await log.append([
    event("one", { labels: ["a,b", "c"] }),
    event("two"),
  ]);
  ok(outcome.ok);
  const page = await log.list({
    reach: { kind: "exact", scope: "org:a/ws:main" },
    filter: NO_FILTER,
    before: undefined,
    limit: 10,
  });
  deepEqual(page.events.map((one) => one.content.text), ["two", "one"]);
  deepEqual(page.events[1]?.labels, ["a,b", "c"]);
  const labelled = await log.list({
    reach: { kind: "exact", scope: "org:a/ws:main" },
    filter: { ...NO_FILTER, labels: ["a,b"] },
    before: undefined,
    limit: 10,
  });
  deepEqual(labelled.events.map((one) => one.content.text), ["one"]);
  const { hits } = await search(log, {
    scopes: ["org:a/ws:main"],
    filter: NO_FILTER,
    query: "TWO?",
    limit: 10,
  });
  deepEqual(hits.map(({ id }) => id), [page.events[0]?.id]);
  match(String(page.events[0]?.id), /^evt_[0-9a-f]{32}$/);
});

Deno.test("labels are found as a program finds them that leaves their lexemes to the database", async () => {
  await using test = await openTestDb();
  const labels = ["item:1", "it's \\ a,b:c", "日本", "item:1", "x".repeat(300)];
  await logOn(test.db).append([
    event("labelled", { labels, scope: "org:a/o'brien" }),
    event("bare"),
  ]);
  const rows = await test.db.read(
    "select terms = cortex_terms(scope, '', labels) as is_same, length(terms) as count from cortex_events order by seq",
  );
  deepEqual(rows.map((row) => ({ ...row })), [
    { is_same: true, count: 4 },
    { is_same: true, count: 0 },
  ]);
});

Deno.test("events of one write follow each other, what was there before is left out", async () => {
  await using test = await openTestDb();
  const log = logOn(test.db);
  await log.append([event("b", { idempotencyKey: "b" })]);
  const outcome = await log.append([
    event("a", { idempotencyKey: "a" }),
    event("b", { idempotencyKey: "b" }),
    event("a", { idempotencyKey: "a" }),
    event("c"),
  ]);
  ok(outcome.ok);
  deepEqual(outcome.receipts.map(({ isReplay }) => isReplay), [
    false,
    true,
    true,
    false,
  ]);
  const rows = await test.db.read(
    `select content ->> 'text' as text,
       (select count(*)::int from cortex_passages p where (p.root, p.seq) = (e.root, e.seq)) as passages,
       (select sum(passages)::int from cortex_passage_counts) as counted
     from cortex_events e order by seq`,
  );
  deepEqual(rows.map((row) => ({ ...row })), [
    { text: "b", passages: 1, counted: 3 },
    { text: "a", passages: 1, counted: 3 },
    { text: "c", passages: 1, counted: 3 },
  ]);
});

Deno.test("an expired key is free again", async () => {
  await using test = await openTestDb();
  const log = logOn(test.db);
  const keyed = event("x", { idempotencyKey: "k" });
  const first = await log.append([keyed]);
  const second = await log.append([keyed]);
  ok(first.ok && second.ok);
  deepEqual(second.receipts[0], { ...first.receipts[0], isReplay: true });
  await test.db.write(
    "update cortex_keys set written_at = now() - interval '25 hours'",
  );
  const third = await log.append([keyed]);
  ok(third.ok);
  equal(third.receipts[0]?.isReplay, false);
  await test.db.write(
    "update cortex_keys set written_at = now() - interval '25 hours'",
  );
  equal(await log.advanceErasures(), false);
  deepEqual(await test.db.read("select key from cortex_keys"), []);
});

Deno.test("expired keys are cleared away for as long as there are any", async () => {
  await using test = await openTestDb();
  const open = () => Promise.resolve(test.db);
  const log = new PostgresEventLog(open, { purgeKeys: 2 });
  const keys = ["a", "b", "c"];
  await log.append(
    keys.map((idempotencyKey) => event("x", { idempotencyKey })),
  );
  await test.db.write(
    "update cortex_keys set written_at = now() - interval '25 hours'",
  );
  deepEqual([await log.advanceErasures(), await log.advanceErasures()], [
    true,
    false,
  ]);
  deepEqual(await test.db.read("select key from cortex_keys"), []);
});

Deno.test("batches with the same keys in different orders do not deadlock", async () => {
  await using test = await openTestDb();
  const log = logOn(test.db);
  const keys = Array.from({ length: 20 }, (_, at) => `k${at}`);
  const batch = keys.map((key) => event(key, { idempotencyKey: key }));
  const outcomes = await Promise.all(
    Array.from(
      { length: 20 },
      (_, at) => log.append(at % 2 === 0 ? batch : batch.toReversed()),
    ),
  );
  ok(outcomes.every((one) => one.ok));
  const [row] = await test.db.read(
    "select count(*)::int as count from cortex_events",
  );
  equal(row?.count, 20);
});

Deno.test("what is written between two batches of a removal stays", async () => {
  const scope = "org:a/ws:main";
  const below = `${scope}/agent:x`;
  const removals = {
    cortex_forget: (log: PostgresEventLog) =>
      log.forget({
        scope,
        ids: undefined,
        recordedFrom: undefined,
        recordedTo: undefined,
        actor: "user:alice",
        note: undefined,
      }),
    cortex_erase: (log: PostgresEventLog) =>
      log.startErasure({ scope, actor: "user:alice", note: undefined })
        .then(({ deleted }) => deleted),
  };
  for (const [statement, remove] of Object.entries(removals)) {
    await using test = await openTestDb();
    const log = logOn(test.db);
    const write = (text: string, count: number) =>
      log.append(
        [scope, below].flatMap((at) =>
          Array.from({ length: count }, () => event(text, { scope: at }))
        ),
      );
    await write("before", 15);
    let batches = 0;
    const db = watchedDb(test.db, async (text, run) => {
      const rows = await run();
      if (text.includes(statement) && ++batches === 1) await write("later", 5);
      return rows;
    });
    const removing = new PostgresEventLog(() => Promise.resolve(db), {
      batchEvents: 10,
    });
    const isErasure = statement === "cortex_erase";
    equal(await remove(removing), isErasure ? 30 : 15);
    ok(batches > 1);
    const left = await test.db.read<{ scope: string; text: string; n: number }>(
      `select scope, content->>'text' as text, count(*)::int as n
       from cortex_events group by 1, 2 order by 1, 2`,
    );
    deepEqual(left.map(({ scope, text, n }) => [scope, text, n]), [
      [scope, "later", 5],
      ...isErasure ? [] : [[below, "before", 15]],
      [below, "later", 5],
    ]);
  }
});

Deno.test("every key and unique index of the event log starts with root", async () => {
  await using test = await openTestDb();
  const rows = await test.db.read<{ definition: string }>(
    `select pg_get_indexdef(indexrelid) as definition from pg_index
     where indisunique and indrelid::regclass::text like 'cortex_%'
       and indrelid not in ('cortex_analysers'::regclass, 'cortex_embedding_models'::regclass)`,
  );
  equal(rows.length, 14);
  for (const { definition } of rows) match(definition, /\(root/);
});

Deno.test("listing stays on its index among 40 scopes", async () => {
  await using test = await openTestDb({ statementTimeoutMs: 100_000 });
  const { db } = test;
  await db.write(
    `insert into cortex_events (root, id, scope, actor, modality, kind, labels,
       content, context, observed_at, recorded_at, terms)
     select 'org:a', gen_random_uuid(), s, 'user:x', 'm', 'text', '["l"]', '{}',
       '{}', now(), now(), cortex_terms(s, 'common word' || n, '["l"]')
     from (select 'org:a/ws:s' || n % 40 as s, n from generate_series(1, 20000) n) f`,
  );
  await db.write(
    `insert into cortex_scopes (root, path, members, auto_provisioned)
     select distinct root, scope, '[]'::jsonb, true from cortex_events`,
  );
  await db.write("analyze cortex_events, cortex_scopes");
  const plan = async (statement: string, types: string, values: string) =>
    await db.transaction(async (tx) => {
      await tx.exec("set local plan_cache_mode = force_generic_plan");
      await tx.exec(`prepare planned (${types}) as ${statement}`);
      const rows = await tx.read<Record<string, string>>(
        `explain execute planned (${values})`,
      );
      await tx.exec("deallocate planned");
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    });
  const listing = await plan(
    listStatement(false),
    "text, text[], text, bigint, text[], text[], text, text, text, text, int",
    "'org:a', '{org:a/ws:s1}', null, 99999999, '{}', '{}', null, '-infinity', 'infinity', 'infinity', 50",
  );
  match(listing, /Index (Only )?Scan.* using cortex_events_scope/);
  ok(!/Seq Scan on cortex_events/.test(listing), listing);
  const scopes = await plan(
    scopeListStatement(true),
    "text, text, boolean, int, text, text, boolean",
    "'', '', null, 100, 'org:a', 'org:a/ws:s1', false",
  );
  match(scopes, /path > .*\/.* AND .*path < .*0/);
});

Deno.test("a page of labelled events reads its share of a scope, wherever it begins", async () => {
  await using test = await openTestDb({ statementTimeoutMs: 100_000 });
  const { db } = test;
  // One label on nearly all but the newest events, one on twelve newest.
  await db.write(
    `insert into cortex_events (root, id, scope, actor, modality, kind, labels,
       content, context, observed_at, recorded_at, terms)
     select 'org:a', gen_random_uuid(), 'org:a/s', 'user:x', 'm', 'text', l, '{}',
       '{}', now(), now(), cortex_terms('org:a/s', '', l)
     from (select n, case when n > 19988 then '["new"]' when n <= 19000 and n % 7 > 0
       then '["old"]' else '[]' end::jsonb as l from generate_series(1, 20000) n) f
     order by n`,
  );
  await db.write("vacuum analyze cortex_events");
  const page = async (label: string, before: number, limit: number) =>
    await db.transaction(async (tx) => {
      const read = async () => {
        const [row] = await tx.read(
          `select idx_tup_fetch::int as count from pg_stat_xact_user_tables
           where relname = 'cortex_events'`,
        );
        return Number(row?.count);
      };
      const began = await read();
      const rows = await tx.read<{ seq: string }>(
        listStatement(true),
        [
          ...["org:a", ["org:a/s"], null, before, [label], [], null],
          ...["-infinity", "infinity", "infinity", limit],
        ],
      );
      return {
        seqs: rows.map(({ seq }) => Number(seq)),
        fetched: await read() - began,
      };
    });
  const newest = await page("new", 30_000, 200);
  equal(newest.seqs.length, 12);
  ok(newest.fetched < 6_000, `${newest.fetched} for the newest`);
  const deep = await page("old", 10_000, 200);
  deepEqual(deep.seqs.slice(0, 3), [9_999, 9_998, 9_997]);
  ok(deep.fetched < 6_000, `${deep.fetched} in the middle`);
  // Through the index, then event by event: none is missed and none comes twice.
  const all: number[] = [];
  for (let before = 30_000;;) {
    const { seqs } = await page("old", before, 500);
    all.push(...seqs.slice(0, 500));
    before = Number(all.at(-1));
    if (seqs.length <= 500) break;
  }
  const expected = Array.from({ length: 19_000 }, (_, at) => 19_000 - at)
    .filter((seq) => seq % 7 > 0);
  deepEqual(all, expected);
});
