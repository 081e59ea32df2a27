/** Search through the service, on a real database. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { ANALYSER_VERSION } from "../analyser/analyser.ts";
import { createLocalCortex } from "../service.ts";
import { PostgresEventLog } from "../../../store/event_log/event_log.ts";
import { openTestDb } from "../../../tests/support/test_db.ts";
import { NO_FILTER } from "../../../tests/support/log_entry.ts";
import { advanceIndexing } from "./indexer.ts";
import { distance } from "./repair.ts";
import { search } from "./search.ts";

const SCOPES = ["org:a/agent:x/app:learnings", "org:a/app:documents"] as const;

interface Found {
  readonly items: readonly {
    readonly event: { readonly content: { readonly text: string } };
    readonly score: number;
    readonly coverage: number;
    readonly words: readonly string[];
    readonly likeness: number;
    readonly passage?: { readonly from: number; readonly text: string };
  }[];
  readonly repaired: readonly {
    readonly word: string;
    readonly instead: readonly string[];
  }[];
  readonly unindexed: number;
  readonly pack_id: string;
}

async function openSearch() {
  const test = await openTestDb();
  const log = new PostgresEventLog(() => Promise.resolve(test.db));
  const faults: unknown[] = [];
  const service = createLocalCortex({
    log,
    report: (error) => void faults.push(error),
  });
  const call = async (path: string, body: unknown) => {
    const response = await service.fetch(
      new Request(`http://localhost/v1/${path}`, {
        method: "POST",
        headers: { "x-cortex-actor": "user:alice" },
        body: JSON.stringify(body),
      }),
    );
    deepEqual(faults, []);
    return { status: response.status, body: await response.json() };
  };
  return {
    ...test,
    log,
    call,
    async write(text: string, scope: string = SCOPES[0], more = {}) {
      const { body } = await call("experience", {
        scope,
        modality: "observation",
        content: { kind: "text", text },
        ...more,
      });
      return String(body.event_id);
    },
    async recall(query: string, more = {}): Promise<Found> {
      const asked = { scopes: SCOPES, query, ...more };
      return (await call("recall/across", asked)).body;
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

const textsOf = ({ items }: Found) =>
  items.map(({ event }) => event.content.text);

Deno.test("recall ranks over scopes by relevance, and what shares nothing does not come", async () => {
  await using memory = await openSearch();
  await memory.write("Minutes: tests take four hours.", SCOPES[1]);
  await memory.write("Nora takes the early train, never the bus.");
  await memory.write("Which of these does nothing");
  const found = await memory.recall("Which train does Nora take?");
  deepEqual(textsOf(found), [
    "Nora takes the early train, never the bus.",
    "Minutes: tests take four hours.",
  ]);
  equal(found.items[0]?.coverage, 1);
  // Why, in words of the query; those that say nothing are no reason.
  deepEqual(found.items.map(({ words, likeness }) => [words, likeness]), [
    [["train", "nora", "take"], 0],
    [["take"], 0],
  ]);
  ok((found.items[1]?.score ?? 1) < (found.items[0]?.score ?? 0) / 2);
  deepEqual(textsOf(await memory.recall("zebra")), []);
  deepEqual(textsOf(await memory.recall("which does")), [
    "Which of these does nothing",
  ]);
});

Deno.test("no other scope is searched, and no word of one is told", async () => {
  await using memory = await openSearch();
  await memory.write(
    "The passphrase is xylophone",
    "org:a/agent:y/app:learnings",
  );
  await memory.write("The passphrase is xylophone", "org:ab/app:documents");
  const found = await memory.recall("xylophane");
  deepEqual(found.items, []);
  deepEqual(found.repaired, [{ word: "xylophane", instead: [] }]);
  const strangers = { scopes: ["org:a/x", "org:b/x"], query: "x" };
  equal((await memory.call("recall/across", strangers)).status, 422);
});

Deno.test("a misspelt word is repaired, and the answer says so", async () => {
  await using memory = await openSearch();
  await memory.write("The deployment of the database runs on Kubernetes.");
  const found = await memory.recall("deplyoment on kubernets");
  equal(found.items.length, 1);
  deepEqual(found.repaired, [{ word: "deplyoment", instead: ["deployment"] }]);
});

Deno.test("distance() counts letters left out, inserted, changed and swapped", () => {
  const table: readonly [string, string, number][] = [
    ["train", "train", 0],
    ["trian", "train", 1],
    ["tran", "train", 1],
    ["traain", "train", 1],
    ["brain", "train", 1],
    ["", "abc", 3],
  ];
  for (const [word, term, errors] of table) equal(distance(word, term), errors);
  equal(distance("deplyoment", "deploy", { ending: 5 }), 1);
});

Deno.test("no part of a long text is unfindable, and the passage is shown", async () => {
  await using memory = await openSearch();
  const markers = Array.from(
    { length: 40 },
    (_, at) => `marker${String.fromCharCode(97 + at % 26)}${at}q`,
  );
  const filler = "Nothing of interest stands in this sentence at all. ";
  const text = markers.map((one) => `The word is ${one}. ${filler.repeat(90)}`)
    .join("");
  await memory.write(text, SCOPES[1]);
  for (const one of markers) {
    const { items } = await memory.recall(one);
    const passage = items[0]?.passage;
    match(String(passage?.text), new RegExp(one));
    equal(text.slice(passage?.from).startsWith(String(passage?.text)), true);
  }
});

Deno.test("title, tags, path and speaker are searched", async () => {
  await using memory = await openSearch();
  const label = (json: unknown) => `tm:e:00:${JSON.stringify(json)}`;
  const envelope = {
    v: 1,
    id: "a".repeat(40),
    kind: "learning",
    meta: { tags: ["gardening"], file_path: "notes/main.ts", agent_id: "iris" },
    part: [0, 1],
    evidence: "said at breakfast",
  };
  const json = label(envelope);
  ok(json.length < 256);
  await memory.write("Roses like sun", SCOPES[0], {
    context: { labels: [json] },
  });
  for (const query of ["gardening", "main.ts", "iris", "breakfast", "rose"]) {
    deepEqual(textsOf(await memory.recall(query)), ["Roses like sun"], query);
  }
});

Deno.test("a deletion leaves nothing in the index, and others' words stay", async () => {
  await using memory = await openSearch();
  const kept = await memory.write("shared words that several have");
  const gone = await memory.write("shared words and a secretword");
  const terms = async () =>
    (await memory.db.read<{ term: string }>(
      "select term from cortex_terms_known order by term",
    )).map(({ term }) => term);
  ok((await terms()).includes("secretword"));
  await memory.call("forget", {
    scope: SCOPES[0],
    selector: { memory_ids: [gone] },
    cascade: "redact_events",
  });
  const left = await terms();
  ok(!left.includes("secretword"));
  ok(left.includes("share"), String(left));
  deepEqual(textsOf(await memory.recall("secretword")), []);
  equal((await memory.recall("shared words")).items.length, 1);
  ok(kept !== gone);
  await memory.call("erasures", { scope: "org:a", confirm_all: true });
  const [row] = await memory.db.read(
    `select (select count(*)::int from cortex_passages) as passages,
       (select count(*)::int from cortex_terms_known) as terms,
       (select count(*)::int from cortex_unindexed) as unindexed,
       (select count(*)::int from cortex_term_counts) as term_counts,
       (select sum(passages)::int from cortex_passage_counts) as counted,
       (select sum(length)::int from cortex_passage_counts) as length`,
  );
  deepEqual({ ...row }, {
    passages: 0,
    terms: 0,
    unindexed: 0,
    term_counts: 0,
    counted: 0,
    length: 0,
  });
});

Deno.test("what an earlier version stored is indexed, by a recall or in the background, once", async () => {
  await using memory = await openSearch();
  const old = (root: string) =>
    memory.db.write(
      `select * from cortex_append(jsonb_build_array(jsonb_build_object(
         'item', 0, 'root', $1::text, 'id', gen_random_uuid(), 'scope', $1 || '/app:documents',
         'actor', 'user:x', 'modality', 'document', 'kind', 'text', 'labels', '[]'::jsonb,
         'content', '{"kind": "text", "text": "an old walnut"}'::jsonb, 'context', '{}'::jsonb,
         'search_text', 'an old walnut', 'body_hash', 'x')), 24)`,
      [root],
    );
  await old("org:a");
  await old("org:b");
  equal(await memory.log.countUnindexed(10), 2);
  // A recall indexes what is of its own root.
  deepEqual(textsOf(await memory.recall("walnuts")), ["an old walnut"]);
  equal(await memory.log.countUnindexed(10), 1);
  equal(await advanceIndexing(memory.log), false);
  equal(await memory.log.countUnindexed(10), 0);
  const [row] = await memory.db.read(
    "select count(*)::int as count, sum(version)::int as versions from cortex_passages",
  );
  deepEqual({ ...row }, { count: 2, versions: 2 * ANALYSER_VERSION });
});

Deno.test("passages of an older analyser are made anew, and counted once", async () => {
  await using memory = await openSearch();
  for (const text of ["one walnut", "two walnuts"]) await memory.write(text);
  const counts = async () =>
    (await memory.db.read(
      `select sum(passages)::int as passages, sum(length)::int as length
       from cortex_passage_counts`,
    )).map((row) => ({ ...row }))[0];
  const before = await counts();
  equal(await memory.log.findOutdated(ANALYSER_VERSION + 1), false);
  equal(await memory.log.countUnindexed(10), 2);
  while (await advanceIndexing(memory.log));
  equal(await memory.log.countUnindexed(10), 0);
  deepEqual(await counts(), before);
  equal((await memory.recall("walnut")).items.length, 2);
  // A program of the older version that still runs leaves it to the newer one.
  await memory.write("three walnuts");
  equal(await memory.log.countUnindexed(10), 1);
});

Deno.test("an event that is deleted while it is indexed gets no passages", async () => {
  await using memory = await openSearch();
  const id = await memory.write("a walnut");
  const [event] = await memory.log.read([id]);
  ok(event !== undefined);
  await memory.db.write(
    "insert into cortex_unindexed select root, seq from cortex_events",
  );
  await memory.call("forget", {
    scope: SCOPES[0],
    selector: { memory_ids: [id] },
    cascade: "redact_events",
  });
  await memory.log.index([{
    event,
    entry: { analyser: 1, known: ["walnut"], passages: [] },
  }]);
  const [row] = await memory.db.read(
    "select (select count(*)::int from cortex_passages) + (select count(*)::int from cortex_terms_known) as count",
  );
  equal(row?.count, 0);
});

Deno.test("among many, the rarer words bring a memory up, and common ones together do", async () => {
  await using memory = await openSearch();
  const { log } = memory;
  const colours = ["red", "green", "blue", "white", "black"];
  const things = ["door", "window", "roof", "wall", "floor", "lamp", "chair"];
  for (let batch = 0; batch < 4; batch++) {
    await memory.call("experience/bulk", {
      scope: SCOPES[0],
      items: Array.from({ length: 500 }, (_, at) => ({
        modality: "observation",
        content: {
          kind: "text",
          text: batch === 0 && at === 0
            ? "The purple staircase has a red door"
            : `The ${colours[at % 5]} ${things[(at + batch) % 7]} is number ${
              batch * 500 + at
            }`,
        },
      })),
    });
  }
  const ask = async (query: string) => {
    const { hits } = await search(log, {
      scopes: SCOPES,
      filter: NO_FILTER,
      query,
      limit: 5,
    });
    const events = await log.read(hits.map(({ id }) => id));
    return events.map(({ content }) => String(content.text));
  };
  equal(
    (await ask("which staircases have a door"))[0],
    "The purple staircase has a red door",
  );
  for (const text of await ask("blue lamp")) match(text, /blue lamp/);
  match((await ask("number 1234"))[0] ?? "", /number 1234$/);
});

Deno.test("where all that has the rarer words is filtered out, the common ones find the rest", async () => {
  await using memory = await openSearch();
  await memory.call("experience/bulk", {
    scope: SCOPES[0],
    items: Array.from({ length: 900 }, (_, at) => ({
      modality: "observation",
      content: {
        kind: "text",
        text: `red report of green paint on blue paper, ${
          at === 0 ? "walrus" : at
        }`,
      },
      context: { labels: [at % 2 === 0 ? "agent:a" : "agent:b"] },
    })),
  });
  const { hits } = await search(memory.log, {
    scopes: SCOPES,
    filter: { ...NO_FILTER, labels: ["agent:b"] },
    query: "red report of the walrus on blue paper, green paint",
    limit: 5,
  });
  equal(hits.length, 5);
  const events = await memory.log.read(hits.map(({ id }) => id));
  for (const { labels } of events) deepEqual(labels, ["agent:b"]);
});

Deno.test("an answer quotes what covers the question; where nothing does there is none", async () => {
  await using memory = await openSearch();
  await memory.write(
    "We met on Monday. Alice takes her coffee black. It rained.",
  );
  await memory.write("The capital expenditure was approved.", SCOPES[1]);
  const ask = async (question: string) => {
    const { pack_id } = await memory.recall(question);
    const { body } = await memory.call("answer", {
      scope: SCOPES[1],
      question,
      use_pack_id: pack_id,
    });
    return body.answer;
  };
  equal(
    await ask("How does Alice take her coffee?"),
    "Alice takes her coffee black. [1]",
  );
  equal(await ask("What is the capital of Mongolia?"), null);
  equal(await ask("Who is it?"), null);
  // Half of it stands in one memory, half in another: neither answers.
  await memory.write("The password is on the router.");
  await memory.write("The bastion was rebuilt in spring.");
  equal(await ask("What is the password of the bastion?"), null);
});

Deno.test("a long text that two index at once, one of them killed half-way, is indexed whole and counted once", async () => {
  await using memory = await openSearch();
  const filler = "Nothing of interest stands in this sentence at all. ";
  await memory.write(`${filler.repeat(6_000)} The word is xylophone.`);
  const figures = async () =>
    (await memory.db.read(
      `select (select count(*)::int from cortex_passages) as passages,
         (select sum(passages)::int from cortex_passage_counts) as counted,
         (select sum(length)::int from cortex_passage_counts) as length`,
    )).map((row) => ({ ...row }))[0];
  const whole = await figures();
  ok(Number(whole?.passages) > 100);
  const again = () =>
    memory.db.write(
      "insert into cortex_unindexed select root, seq from cortex_events",
    );
  // As a process leaves it that was killed: some passages, and it waits.
  await memory.db.write(
    "delete from cortex_passages where part between 40 and 90",
  );
  await memory.db.write(
    `update cortex_passage_counts c set passages = p.count, length = p.length
     from (select root, count(*) as count, sum(length) as length from cortex_passages group by root) p
     where c.root = p.root and slot = (select min(slot) from cortex_passage_counts)`,
  );
  await memory.db.write(
    "delete from cortex_passage_counts where slot > (select min(slot) from cortex_passage_counts)",
  );
  await again();
  await Promise.all([
    advanceIndexing(memory.log),
    advanceIndexing(memory.log),
  ]);
  deepEqual(await figures(), whole);
  equal(await memory.log.countUnindexed(10), 0);
  deepEqual((await memory.recall("xylophone")).items.length, 1);
});
