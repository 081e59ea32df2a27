import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { createLocalCortex } from "../service.ts";
import { PostgresEventLog } from "../../../store/event_log/event_log.ts";
import {
  answerOf,
  startFakeEmbeddings,
} from "../../../tests/support/fake_embeddings.ts";
import { NO_FILTER } from "../../../tests/support/log_entry.ts";
import { openTestDb } from "../../../tests/support/test_db.ts";
import { createEmbedder, EmbeddingError } from "./embedder.ts";
import { createFiller } from "./filler.ts";

const SCOPE = "org:a/agent:x/app:learnings";
const SYNONYMS = [
  ["physician", "doctor", "surgeon"],
  ["automobile", "car", "vehicle"],
  ["purchase", "buy", "bought"],
];
const NEVER = new AbortController().signal;

/** However slow the machine is. */
const LONG_MS = 60_000;

async function openMeaning({ waitMs = LONG_MS } = {}) {
  await using stack = new AsyncDisposableStack();
  const test = stack.use(await openTestDb());
  const service = stack.use(startFakeEmbeddings(SYNONYMS));
  const log = new PostgresEventLog(() => Promise.resolve(test.db));
  let time = 0;
  const faults: unknown[] = [];
  const build = (name: string) =>
    createFiller({
      log,
      embedder: createEmbedder({ url: service.url, model: name }),
      now: () => time,
      report: (error) => void faults.push(error),
    });
  const cortexOf = (name: string) =>
    createLocalCortex({
      log,
      embedder: createEmbedder({ url: service.url, model: name }),
      report: (error) => void faults.push(error),
      now: () => time,
      vectorWaitMs: waitMs,
    });
  const cortex = cortexOf("synonyms");
  const step = build("synonyms");
  const call = async (path: string, body: unknown, by = cortex) => {
    const response = await by.fetch(
      new Request(`http://localhost/v1/${path}`, {
        method: "POST",
        headers: { "x-cortex-actor": "user:alice" },
        body: JSON.stringify(body),
      }),
    );
    return await response.json();
  };
  const held = stack.move();
  return {
    db: test.db,
    service,
    log,
    faults,
    build,
    cortexOf,
    call,
    step,
    pass: (ms: number) => void (time += ms),
    /** Works until nothing is left. */
    async fill(one = step) {
      for (;;) {
        const left = await one(NEVER);
        if (left === true) continue;
        return left;
      }
    },
    async write(text: string, scope = SCOPE) {
      const { event_id } = await call("experience", {
        scope,
        modality: "observation",
        content: { kind: "text", text },
      });
      return String(event_id);
    },
    async recall(
      query: string,
      by = cortex,
      more = {},
    ): Promise<readonly string[]> {
      const { items } = await call(
        "recall/across",
        { scopes: [SCOPE], query, ...more },
        by,
      );
      return items.map((
        { event }: { readonly event: { content: { text: string } } },
      ) => event.content.text);
    },
    /** What health says of vectors. */
    async health() {
      const response = await cortex.fetch(
        new Request("http://localhost/v1/health"),
      );
      return (await response.json()).embeddings;
    },
    async count(table: string): Promise<number> {
      const [row] = await test.db.read(
        `select count(*)::int as count from ${table}`,
      );
      return Number(row?.count);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const DOCTOR = "The surgeon called about the knee";
const CAR = "Nora bought a red automobile";

Deno.test("what says the same in other words is found, and what does not is not", async () => {
  await using memory = await openMeaning();
  for (const text of [DOCTOR, CAR, "Tulips need little water"]) {
    await memory.write(text);
  }
  deepEqual(await memory.recall("physician"), []);
  equal(await memory.fill(), false);
  deepEqual(await memory.recall("physician"), [DOCTOR]);
  deepEqual(await memory.recall("purchase of a vehicle"), [CAR]);
  deepEqual(await memory.recall("elephant"), []);
  // What has the words themselves stays first.
  await memory.write("The doctor is Nora's sister");
  await memory.fill();
  equal((await memory.recall("doctor"))[0], "The doctor is Nora's sister");
  deepEqual(memory.faults, []);
});

Deno.test("filters and scopes hold for what is near, too", async () => {
  await using memory = await openMeaning();
  await memory.write(DOCTOR, "org:a/agent:y/app:learnings");
  await memory.write("A doctor of others", "org:b/app:learnings");
  const early = await memory.write("A surgeon, early on");
  ok(early !== undefined);
  await memory.fill();
  deepEqual(await memory.recall("physician"), ["A surgeon, early on"]);
  const labelled = { filters: { metadata: { labels: ["none"] } } };
  deepEqual(await memory.recall("physician", undefined, labelled), []);
});

Deno.test("long texts have a vector for each passage, in batches that a service takes", async () => {
  await using memory = await openMeaning();
  const filler = "Nothing of interest stands in this sentence at all. ";
  const text = `${filler.repeat(1_500)} The surgeon has the key. ${filler}`;
  await memory.write(text);
  await memory.fill();
  equal(
    await memory.count("cortex_vectors"),
    await memory.count("cortex_passages"),
  );
  ok(memory.service.requests.every(({ input }) => input.length <= 32));
  ok(memory.service.requests.length > 2);
  const { items: [first] } = await memory.call("recall/across", {
    scopes: [SCOPE],
    query: "physician",
  });
  match(first.passage.text, /The surgeon has the key/);
  // No word brought it, and its meaning did.
  deepEqual([first.words, first.coverage], [[], 0]);
  ok(first.likeness > 0 && first.likeness <= 1, String(first.likeness));
  equal(
    text.slice(first.passage.from, first.passage.from + 20),
    first.passage.text.slice(0, 20),
  );
});

Deno.test("forgetting and erasing take the vectors along", async () => {
  await using memory = await openMeaning();
  const gone = await memory.write(DOCTOR);
  await memory.write(CAR);
  await memory.fill();
  await memory.write("Not embedded yet");
  await memory.call("forget", {
    scope: SCOPE,
    selector: { memory_ids: [gone] },
    cascade: "redact_events",
  });
  equal(await memory.count("cortex_vectors"), 1);
  deepEqual(await memory.recall("physician"), []);
  await memory.call("erasures", { scope: "org:a", confirm_all: true });
  for (const name of ["vectors", "vector_signs", "unembedded"]) {
    equal(await memory.count(`cortex_${name}`), 0, name);
  }
});

Deno.test("an event that is deleted while it is embedded gets no vector", async () => {
  await using memory = await openMeaning();
  const id = await memory.write(DOCTOR);
  let isDeleted = false;
  memory.service.disturb = ({ input }) => {
    if (isDeleted || !input[0]?.includes("surgeon")) return undefined;
    isDeleted = true;
    return memory.call("forget", {
      scope: SCOPE,
      selector: { memory_ids: [id] },
      cascade: "redact_events",
    }).then(() =>
      answerOf({ model: "", input, authorization: null }, () => [1, 2])
    );
  };
  memory.service.dimension = 2;
  equal(await memory.fill(), false);
  ok(isDeleted);
  equal(await memory.count("cortex_vectors"), 0);
});

Deno.test("another model, or the same with vectors of another size, embeds all anew", async () => {
  await using memory = await openMeaning();
  for (const text of [DOCTOR, CAR]) await memory.write(text);
  await memory.fill();
  const models = async () =>
    (await memory.db.read(
      "select distinct model from cortex_vectors order by model",
    )).map(({ model }) => model);
  deepEqual(await models(), ["synonyms/96"]);
  const other = memory.build("other");
  await memory.fill(other);
  deepEqual(await models(), ["other/96"]);
  equal(await memory.count("cortex_vectors"), 2);
  // Who still asks the first model goes without, and takes nothing over.
  await memory.write("A third one");
  equal(await memory.fill(), false);
  deepEqual(await models(), ["other/96"]);
  deepEqual(await memory.recall("physician"), []);
  deepEqual(await memory.recall("physician", memory.cortexOf("other")), [
    DOCTOR,
  ]);
  memory.service.dimension = 64;
  equal(typeof await memory.fill(other), "number");
  memory.pass(60_000);
  equal(await memory.fill(other), false);
  deepEqual(await models(), ["other/64"]);
  equal(await memory.count("cortex_vector_signs"), 3);
});

Deno.test("what was stored before there was a service is embedded", async () => {
  await using memory = await openMeaning();
  for (let at = 0; at < 40; at++) await memory.write(`Note ${at}`);
  equal(await memory.log.countUnembedded(100), 0);
  await memory.fill();
  equal(await memory.count("cortex_vectors"), 40);
  await memory.write("A new one waits");
  equal(await memory.log.countUnembedded(100), 1);
});

Deno.test("two that work at once embed nothing twice", async () => {
  await using memory = await openMeaning();
  for (let at = 0; at < 40; at++) await memory.write(`Note ${at}`);
  await Promise.all([
    memory.fill(),
    memory.fill(memory.build("synonyms")),
  ]);
  const texts = memory.service.requests.flatMap(({ input }) => input)
    .filter((text) => text.startsWith("Note"));
  equal(texts.length, new Set(texts).size);
  equal(await memory.count("cortex_vectors"), 40);
});

const BROKEN: readonly (readonly [string, () => Response])[] = [
  ["a fault", () => new Response("oops", { status: 500 })],
  ["a page", () => new Response("<html>", { status: 200 })],
  ["no list", () => Response.json({ data: 7 })],
  ["too few", () => Response.json({ data: [] })],
  ["no numbers", () => Response.json({ data: [{ embedding: ["1"] }] })],
  [
    "NaN",
    () =>
      new Response('{"data":[{"index":0,"embedding":[null, 1]}]}', {
        headers: { "content-type": "application/json" },
      }),
  ],
  ["too large", () => Response.json({ data: [{ embedding: [1e308, 1e308] }] })],
  ["nothing", () => Response.json({ data: [{ embedding: [0, 0] }] })],
  [
    "a strange index",
    () => Response.json({ data: [{ index: 5, embedding: [1] }] }),
  ],
  ["a refusal", () => Response.json({ error: "no model" }, { status: 400 })],
  [
    "another place",
    () => Response.redirect("http://127.0.0.1:9/v1/embeddings", 307),
  ],
];

Deno.test("a service that answers what is no answer costs nothing but the vectors", async (t) => {
  await using memory = await openMeaning();
  await memory.write(DOCTOR);
  for (const [what, answer] of BROKEN) {
    await t.step(what, async () => {
      memory.service.disturb = answer;
      equal(typeof await memory.fill(), "number");
      deepEqual(await memory.recall("surgeon"), [DOCTOR]);
      deepEqual(await memory.recall("physician"), []);
      equal(await memory.count("cortex_vectors"), 0);
      ok(memory.faults.length > 0);
      ok(memory.faults.every((one) => one instanceof EmbeddingError));
      memory.pass(300_000);
    });
  }
  memory.service.disturb = undefined;
  equal(await memory.fill(), false);
  deepEqual(await memory.recall("physician"), [DOCTOR]);
});

Deno.test("a service that is down is left alone for a while, longer each time", async () => {
  await using memory = await openMeaning();
  await memory.write(DOCTOR);
  memory.service.disturb = () => new Response("", { status: 502 });
  const asked = () => memory.service.requests.length;
  equal(await memory.fill(), 1_000);
  equal(asked(), 1);
  equal(await memory.fill(), 1_000);
  equal(asked(), 1);
  memory.pass(1_000);
  equal(await memory.fill(), 2_000);
  equal(asked(), 2);
  // A recall asks once, too, and the next ones do not.
  for (let at = 0; at < 3; at++) await memory.recall(`surgeon ${at}`);
  equal(asked(), 3);
  equal(memory.faults.length, 2);
});

Deno.test("[429] a busy service is left alone as long as it asks", async () => {
  await using memory = await openMeaning();
  await memory.write(DOCTOR);
  memory.service.disturb = () =>
    new Response("slow down", { status: 429, headers: { "retry-after": "7" } });
  equal(await memory.fill(), 7_000);
  memory.service.disturb = undefined;
  equal(await memory.fill(), 7_000);
  memory.pass(7_000);
  equal(await memory.fill(), false);
  equal(await memory.count("cortex_vectors"), 1);
});

Deno.test("a fault in the middle loses nothing: what is left is taken again at once", async () => {
  await using memory = await openMeaning();
  for (let at = 0; at < 5; at++) await memory.write(`Note ${at}`);
  let left = 3;
  memory.service.disturb = () =>
    left-- > 0 ? undefined : new Response("", { status: 500 });
  equal(typeof await memory.fill(), "number");
  equal(await memory.count("cortex_vectors"), 2);
  memory.service.disturb = undefined;
  memory.pass(60_000);
  equal(await memory.fill(), false);
  equal(await memory.count("cortex_vectors"), 5);
});

Deno.test("a text that the model refuses goes without, and keeps nothing waiting", async () => {
  await using memory = await openMeaning();
  const filler = "These words are many and say nothing. ";
  const hated = `The unspeakable ${filler.repeat(20)} The unspeakable`;
  await memory.write(hated);
  await memory.write(DOCTOR);
  memory.service.disturb = ({ input }) =>
    input.some((text) => text.includes("unspeakable"))
      ? Response.json({ error: { message: "too long" } }, { status: 400 })
      : undefined;
  equal(await memory.fill(), false);
  equal(await memory.count("cortex_vectors"), 1);
  equal(await memory.log.countUnembedded(9), 0);
  // A recall that is refused says so, and finds by words.
  deepEqual(await memory.recall("unspeakable"), [hated]);
});

Deno.test("a text that is too long is embedded by its beginning", async () => {
  await using memory = await openMeaning();
  await memory.write(`The surgeon. ${"words and more words ".repeat(60)}`);
  memory.service.disturb = ({ input }) =>
    input.some((text) => text.length > 1_000)
      ? Response.json({ error: { message: "too long" } }, { status: 413 })
      : undefined;
  equal(await memory.fill(), false);
  equal(await memory.count("cortex_vectors"), 1);
});

Deno.test("a recall does not wait for a slow service, and nobody waits behind it", async () => {
  await using memory = await openMeaning({ waitMs: 1 });
  await memory.write(DOCTOR);
  await memory.fill();
  const answered = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  memory.service.disturb = () => {
    begun.resolve();
    return answered.promise.then(() => new Response());
  };
  const asked = memory.service.requests.length;
  deepEqual(await memory.recall("physician"), []);
  await begun.promise;
  deepEqual(await memory.recall("surgeon"), [DOCTOR]);
  equal(memory.service.requests.length, asked + 1);
  match((await memory.health()).fault, /longer than a recall waits/);
  answered.resolve();
});

Deno.test("health says how many events wait for vectors, and what the service fails with", async () => {
  await using memory = await openMeaning();
  await memory.fill();
  await memory.write(DOCTOR);
  deepEqual(await memory.health(), { pending: 1, fault: null });
  memory.service.disturb = () => new Response("boom", { status: 500 });
  await memory.recall("surgeon");
  match((await memory.health()).fault, /answered 500: "boom"/);
});

Deno.test("a key is sent, and shown to nobody", async () => {
  await using service = startFakeEmbeddings();
  const embedder = createEmbedder({
    url: `${service.url}/v1/`,
    model: "m",
    apiKey: "s3cret-key",
  });
  await embedder.embed(["a"], NEVER);
  equal(service.requests[0]?.authorization, "Bearer s3cret-key");
  service.disturb = ({ authorization }) =>
    new Response(`who is ${authorization}`, { status: 401 });
  await rejects(embedder.embed(["a"], NEVER), (error: Error) => {
    match(error.message, /answered 401/);
    ok(!Deno.inspect(error).includes("s3cret"));
    return true;
  });
});

Deno.test("what is near is measured exactly, and in the order of the angle", async () => {
  await using memory = await openMeaning();
  const vectors = [[1, 0, 0.1], [1, 1, 0], [0.2, 1, 0], [-1, -1, -1]];
  for (const at of vectors.keys()) await memory.write(`Note ${at}`);
  memory.service.disturb = (request) =>
    answerOf(
      request,
      (text) => vectors[Number(text.slice(5))] ?? [1, 0, 0],
    );
  await memory.fill();
  const { events, compared } = await memory.log.nearest({
    scopes: [SCOPE],
    filter: NO_FILTER,
    model: "synonyms/3",
    numbers: Float32Array.of(1, 0, 0),
    limit: 3,
  });
  equal(compared, 4);
  deepEqual(
    events.map(({ similarity }) => similarity.toFixed(3)),
    ["0.995", "0.707", "0.196"],
  );
});
