/**
 * What is read of long texts: counted in characters that arrive, not in time.
 *
 * @module
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { createDirectClient } from "../../client/mod.ts";
import { createEngine, type Item, readEngineSettings } from "../../mod.ts";
import { createLocalCortex } from "../../local/mod.ts";
import { parseNode } from "../../layout/mod.ts";
import { PostgresEventLog } from "../../../store/event_log/mod.ts";
import { openTestDb, type TestDb } from "../../../tests/support/test_db.ts";

/** An engine on the local service, and what was received of it. */
function engineOn({ db }: TestDb) {
  const local = createLocalCortex({
    log: new PostgresEventLog(() => Promise.resolve(db)),
  });
  const seen = { bytes: 0, events: 0 };
  const engine = createEngine({
    client: createDirectClient({
      endpoint: "http://localhost",
      credential: "any",
      async fetch(input, init) {
        const response = await local.fetch(new Request(input, init));
        const text = await response.text();
        seen.bytes += text.length;
        seen.events += text.match(/"wal_offset"/g)?.length ?? 0;
        return new Response(text, response);
      },
    }),
    layout: readEngineSettings({}).layout,
    isVisibleAtOnce: true,
  });
  const take = () => {
    const taken = { ...seen };
    Object.assign(seen, { bytes: 0, events: 0 });
    return taken;
  };
  return { engine, take };
}

const meta = { node: parseNode("root"), agentId: "gardener" };
const LONG = "All is well in the garden 🍏. ".repeat(20_000);
/** What an event weighs beside its text. */
const EVENT_BYTES = 1_500;

/** What is looked at of an event to rank it, four bytes a character. */
const RANKED_CHARACTERS = 80_000;

function document(at: number): Item {
  return { kind: "document", title: `No ${at}`, body: `${at} ${LONG}`, meta };
}

Deno.test("what arrives for a list or a recall of long documents is bounded by what is shown", async () => {
  await using test = await openTestDb();
  const { engine, take } = engineOn(test);
  const documents = Array.from({ length: 6 }, (_, at) => document(at));
  await engine.store(documents);
  take();
  const page = await engine.list({ filter: {}, limit: 10, textLimit: 300 });
  const listed = take();
  equal(page.items.length, 6);
  for (const { text, characters, isWhole, item } of page.items) {
    equal([...text].length, 300);
    ok(item.kind === "document" && text.startsWith(`# ${item.title}\n\n`));
    equal(characters, [...`# No 1\n\n1 ${LONG}`].length);
    ok(isWhole);
  }
  ok(listed.bytes < listed.events * (EVENT_BYTES + 300), String(listed.bytes));
  const found = await engine.recall({
    query: "garden",
    filter: {},
    limit: 10,
    textLimit: 1_500,
  });
  equal(found.items.length, 6);
  const recalled = take();
  ok(recalled.bytes < recalled.events * (EVENT_BYTES + RANKED_CHARACTERS));
  await engine.answer({ question: "What of the garden?", filter: {} });
  const answered = take();
  ok(answered.bytes < answered.events * (EVENT_BYTES + RANKED_CHARACTERS));
  await engine.forget({ filter: { agentId: "gardener" }, preview: true });
  const looked = take();
  ok(looked.bytes < looked.events * (EVENT_BYTES + 100));
});

Deno.test("a text that was read as far as its beginning is read on as it is", async () => {
  await using test = await openTestDb();
  const { engine, take } = engineOn(test);
  const talk: Item = {
    kind: "conversation",
    turns: Array.from({ length: 40 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      text: at === 7 ? `🍏${LONG}` : `Turn ${at}`,
    })),
    meta,
  };
  const stored = await engine.store([document(1), talk]);
  const ids = stored.map(({ id }) => id);
  const whole = await engine.get({ ids });
  const short = await engine.get({ ids, textLimit: 100 });
  take();
  for (const [index, hit] of short.items.entries()) {
    const text = [...whole.items[index]?.text ?? ""];
    equal(hit.characters, text.length);
    equal(hit.text, text.slice(0, 100).join(""));
    const read = engine.reader(hit);
    for (const from of [0, 50, 90, 150, text.length - 200, text.length]) {
      equal(
        await read({ from, count: 170 }),
        text.slice(from, from + 170).join(""),
        `${hit.item.kind} from ${from}`,
      );
    }
    equal(await read({ from: 0, count: Infinity }), text.join(""));
  }
  equal(short.items[1]?.events, 40);
});

Deno.test("an item whose envelope is in its text is listed by its beginning, too", async () => {
  await using test = await openTestDb();
  const { engine } = engineOn(test);
  const learning: Item = {
    kind: "learning",
    text: `{${"It is so. ".repeat(100)}`,
    learningKind: "fact",
    confidence: 1,
    evidence: "Seen. ".repeat(5_000),
    meta,
  };
  await engine.store([learning]);
  const { items } = await engine.list({
    filter: {},
    limit: 10,
    textLimit: 20,
  });
  deepEqual(items.map(({ text, characters }) => [text, characters]), [
    ["{It is so. It is so.", 1_001],
  ]);
});

/** A conversation of many turns; the middle one alone speaks of quinces. */
function talk(threadId: string, turns: number): Item {
  return {
    kind: "conversation",
    turns: Array.from({ length: turns }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      text: at === Math.floor(turns / 2)
        ? `🍏 The quinces of ${threadId} are ripe`
        : `Turn ${at} ${threadId} 🍏`,
    })),
    meta: { ...meta, threadId },
  };
}

Deno.test("lists, recalls and answers read of long conversations what they show", async () => {
  await using test = await openTestDb();
  const { engine, take } = engineOn(test);
  const threads = ["a", "b", "c"];
  const stored = await engine.store(
    threads.map((threadId) => talk(threadId, 400)),
  );
  const whole = await engine.get({ ids: stored.map(({ id }) => id) });
  const wholes = new Map(whole.items.map((hit) => [hit.id, hit]));
  const textLimit = 300;
  // A turn takes 10 characters and more.
  const shown = threads.length * textLimit / 10;
  take();
  const { items } = await engine.list({ filter: {}, limit: 10, textLimit });
  ok(take().events <= threads.length + shown);
  equal(items.length, threads.length);
  for (const hit of items) {
    const all = wholes.get(hit.id);
    ok(hit.isWhole);
    equal(hit.events, 400);
    equal(hit.characters, all?.characters);
    equal(hit.text, [...all?.text ?? ""].slice(0, textLimit).join(""));
    ok(hit.item.kind === "conversation" && all?.item.kind === "conversation");
    const [last, ...before] = hit.item.turns.toReversed();
    deepEqual(before.toReversed(), all.item.turns.slice(0, before.length));
    ok(all.item.turns[before.length]?.text.startsWith(last?.text ?? "-"));
  }
  const found = await engine.recall({
    query: "ripe quinces",
    filter: {},
    limit: 10,
    textLimit,
  });
  // Each event that was ranked, and of each item what is shown and its passage.
  ok(take().events <= threads.length * 3 + shown);
  equal(found.items.length, threads.length);
  for (const { id, characters, passage } of found.items) {
    const text = [...wholes.get(id)?.text ?? ""];
    equal(characters, text.length);
    const { offset = 0, text: part = "" } = passage ?? {};
    ok(part.includes("quinces"));
    equal(text.slice(offset, offset + [...part].length).join(""), part);
  }
  const answer = await engine.answer({
    question: "Which quinces are ripe?",
    filter: {},
  });
  ok(answer.text?.includes("quinces"));
  deepEqual(answer.cited.toSorted(), [...wholes.keys()].toSorted());
  ok(take().events <= threads.length * 20, "answer");
});

Deno.test("pages of folded conversations go on where they ended, narrowed or not", async () => {
  await using test = await openTestDb();
  const { engine } = engineOn(test);
  const threads = ["a", "b", "c", "d", "e"];
  for (const threadId of threads) await engine.store([talk(threadId, 30)]);
  for (const filter of [{}, { agentId: "gardener" }]) {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await engine.list({
        filter,
        limit: 2,
        cursor,
        textLimit: 9,
      });
      seen.push(...page.items.map(({ item }) => item.meta.threadId ?? ""));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    deepEqual(seen, threads.toReversed());
  }
  const [one, ...others] = (await engine.list({
    filter: { threadId: "c" },
    limit: 10,
    textLimit: 9,
  })).items;
  deepEqual([one?.item.meta.threadId, one?.events], ["c", 30]);
  deepEqual(others, []);
});

Deno.test("a conversation that lacks a turn, is there twice, or is replaced shows as it is by its beginning, too", async () => {
  await using test = await openTestDb();
  const { engine } = engineOn(test);
  const [lacking, twice, replaced] = await engine.store([
    talk("lacking", 5),
    talk("twice", 5),
    talk("replaced", 5),
  ]);
  ok(lacking && twice && replaced);
  const next = talk("new", 3);
  await engine.store([
    { ...next, meta: { ...next.meta, replaces: [replaced.id] } } as Item,
  ]);
  await test.db.write(
    "delete from cortex_events where content ->> 'text' = 'Turn 3 lacking 🍏'",
  );
  await test.db.write(
    `insert into cortex_events (root, id, scope, actor, modality, kind, labels,
       content, context, observed_at, recorded_at, terms)
     select root, gen_random_uuid(), scope, actor, modality, kind, labels,
       content, context, observed_at, recorded_at, terms
     from cortex_events where labels ->> 0 = (select labels ->> 0
       from cortex_events where content ->> 'text' like '%of twice are%')
     order by seq`,
  );
  const page = await engine.list({ filter: {}, limit: 10, textLimit: 20 });
  const shown = new Map(
    page.items.map((hit) => [hit.item.meta.threadId, hit]),
  );
  deepEqual([...shown.keys()], ["new", "twice", "lacking"]);
  deepEqual(
    [shown.get("lacking")?.isWhole, shown.get("lacking")?.events],
    [false, 4],
  );
  deepEqual(
    [shown.get("twice")?.isWhole, shown.get("twice")?.events],
    [true, 5],
  );
});

Deno.test("a page goes on behind any of its items, without loss or repeat", async () => {
  await using test = await openTestDb();
  const { engine } = engineOn(test);
  const items = Array.from({ length: 5 }, (_, at): Item => ({
    kind: "learning",
    text: `No ${at}`,
    learningKind: "fact",
    confidence: 1,
    meta,
  }));
  await engine.store(items);
  const all = await engine.list({ filter: {}, limit: 10 });
  const texts = all.items.map(({ text }) => text);
  for (const [index, cursor] of all.cursors.entries()) {
    const rest = await engine.list({ filter: {}, limit: 10, cursor });
    deepEqual(rest.items.map(({ text }) => text), texts.slice(index + 1));
  }
});

Deno.test("ten identical stores at once leave one item of one event", async () => {
  await using test = await openTestDb();
  const { engine, take } = engineOn(test);
  const store = (at: number, kind: "learning" | "conversation") => {
    const observed = {
      ...meta,
      observedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString(),
    };
    return engine.store([
      kind === "learning"
        ? {
          kind,
          text: "Nora takes the early train",
          learningKind: "fact",
          confidence: 1,
          meta: observed,
        }
        : {
          kind,
          turns: ["a", "b", "c", "d", "e"].map((text) => ({
            role: "user",
            text,
          })),
          meta: observed,
        },
    ]);
  };
  for (const kind of ["learning", "conversation"] as const) {
    const receipts = await Promise.all(
      Array.from({ length: 10 }, (_, at) => store(at, kind)),
    );
    const isNew = receipts.flat().filter(({ isReplay }) => !isReplay);
    equal(isNew.length, 1, kind);
  }
  take();
  const [row] = await test.db.read(
    "select count(*)::int as count from cortex_events",
  );
  equal(row?.count, 1 + 5);
});
