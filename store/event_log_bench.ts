/**
 * Recall in a scope of 100,000 events (budget: 50 ms at the median), and
 * writes beside PostgreSQL's own inserts of the same data into a bare table.
 *
 * Text is drawn from 20,000 words by rank, as in a language: the common words
 * stand in most events, the rare ones in a few.
 *
 * @module
 */
import { openCluster } from "./embedded/cluster.ts";
import { PostgresEventLog } from "./event_log.ts";
import type { EventInput } from "./event_log_types.ts";
import { migrate } from "./migrate.ts";
import { openPool } from "./postgres.ts";

const EVENTS = 100_000;
const BATCH = 1_000;
const WORDS_PER_EVENT = 40;
const VOCABULARY = 20_000;
const SCOPE = "org:bench/ws:main/app:conversations";
const RECALLS = 100;

/** Numbers from 0 to 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = createRandom(7);

/** A word by rank: rank r comes up about 1/r as often as the first. */
function word(): string {
  return `w${Math.floor(VOCABULARY ** random()).toString(36)}x`;
}

function words(count: number): string {
  return Array.from({ length: count }, word).join(" ");
}

function event(): EventInput {
  const text = words(WORDS_PER_EVENT);
  const key = crypto.randomUUID();
  return {
    scope: SCOPE,
    actor: "user:bench",
    modality: "conversation",
    kind: "message",
    labels: [`item:${key}`, `agent:${Math.floor(random() * 5)}`],
    content: { kind: "message", role: "user", text },
    context: {},
    text,
    observedAt: undefined,
    idempotencyKey: key,
    bodyHash: key,
  };
}

const home = await Deno.makeTempDir({ prefix: "rc-bench-" });
const cluster = await openCluster({ home });
const db = openPool(cluster.target, { statementTimeoutMs: 300_000 });
await migrate(db);
const log = new PostgresEventLog(() => Promise.resolve(db));
for (let at = 0; at < EVENTS; at += BATCH) {
  await log.append(Array.from({ length: BATCH }, () => event()));
}
await db.write("analyze cortex_events");
await db.write(
  "create table bare (id bigint generated always as identity primary key, data jsonb)",
);
const NO_FILTER = {
  labels: [],
  actors: [],
  modality: undefined,
  since: undefined,
  until: undefined,
  recordedBy: undefined,
};

function recall(
  name: string,
  query: () => string,
  labels: readonly string[] = [],
): void {
  Deno.bench({
    name,
    group: "recall at 100,000 events",
    n: RECALLS,
    warmup: 10,
    async fn() {
      await log.search({
        reach: { kind: "exact", scope: SCOPE },
        filter: { ...NO_FILTER, labels },
        query: query(),
        limit: 20,
      });
    },
  });
}

recall("six words as they come", () => words(6));
recall("two rare words", () => "wf00x wb11x");
recall("one common word", () => "w1x");
recall("ten common words", () => "w1x w2x w3x w4x w5x w6x w7x w8x w9x wax");
recall("six words, one agent", () => words(6), ["agent:3"]);

for (const size of [1, 100]) {
  const group = `writes of ${size}`;
  Deno.bench({
    name: `insert ${size} into a bare table`,
    group,
    baseline: true,
    n: RECALLS,
    async fn() {
      const items = Array.from({ length: size }, () => event());
      await db.write(
        "insert into bare (data) select value from jsonb_array_elements($1::text::jsonb)",
        [JSON.stringify(items)],
      );
    },
  });
  Deno.bench({
    name: `append ${size} to the event log`,
    group,
    n: RECALLS,
    async fn() {
      await log.append(Array.from({ length: size }, () => event()));
    },
  });
}

let stopped: Promise<void> | undefined;

async function stop(): Promise<void> {
  await db.close();
  await cluster[Symbol.asyncDispose]();
  await Deno.remove(home, { recursive: true });
}

// A bench file has no hook for its end; its last group is the place. It runs
// its function more than once.
Deno.bench("stop the server", { group: "end", n: 1, warmup: 0 }, async () => {
  await (stopped ??= stop());
});
