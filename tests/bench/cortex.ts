/**
 * The local CortexDB at its HTTP handler: recall in a scope of 100,000 events,
 * and writes beside PostgreSQL's own inserts of the same data into a bare table.
 *
 * Text is drawn from 20,000 words by rank, as in a language: the common words
 * stand in most events, the rare ones in a few.
 *
 * @module
 */
import { createLocalCortex } from "../../cortex/local/service.ts";
import { PostgresEventLog } from "../../store/event_log/event_log.ts";
import { alternate, type Contestant } from "./alternate.ts";
import type { Bench, Benchmark, Part } from "./benchmark.ts";
import type { Stage } from "./stage.ts";

const SCOPE = "org:bench/ws:main/app:conversations";
const BATCH = 1_000;
const WORDS_PER_EVENT = 40;
const VOCABULARY = 20_000;
/** Stands in every event, so that a recall always finds something. */
const ALWAYS = "w1x";
/** The design's limit for a recall, in milliseconds. */
const BAR = { atMost: 30 } as const;

const random = createRandom(7);

/** Calls a route of the service. */
type Call = (
  path: string,
  body: unknown,
) => Promise<Readonly<Record<string, unknown>>>;

/** The benchmark. */
export const cortex: Benchmark = {
  name: "cortex",
  summary: "recall among 100,000 events, and writes against bare inserts",
  async run(bench) {
    const stage = await bench.stage();
    const service = createLocalCortex({
      log: new PostgresEventLog(() => Promise.resolve(stage.db)),
    });
    const call: Call = async (path, body) => {
      const response = await service.fetch(
        new Request(`http://localhost/v1/${path}`, {
          method: "POST",
          headers: { "x-cortex-actor": "user:bench" },
          body: JSON.stringify(body),
        }),
      );
      const answer = await response.json();
      if (!response.ok) throw new Error(JSON.stringify(answer));
      return answer;
    };
    const events = bench.pick(100_000, 200);
    for (let left = events; left > 0; left -= BATCH) {
      if (left % 20_000 === 0) bench.note(`${left} events to go`);
      await write(call, Math.min(left, BATCH));
    }
    await stage.db.write("vacuum analyze cortex_events, cortex_passages");
    return [
      await recalls(bench, call, events),
      ...await writes(bench, stage, call),
    ];
  },
};

async function recalls(
  bench: Bench,
  call: Call,
  events: number,
): Promise<Part> {
  const queries: readonly (readonly [string, () => string, string[]])[] = [
    ["six words as they come", () => words(6), []],
    ["two rare words", () => `wf00x wb11x ${ALWAYS}`, []],
    ["one common word", () => "w2x", []],
    ["ten common words", () => "w1x w2x w3x w4x w5x w6x w7x w8x w9x wax", []],
    ["six words, one agent", () => `${words(6)} ${ALWAYS}`, ["agent:3"]],
  ];
  const contest = await alternate(
    queries.map(([label, query, labels]): Contestant => ({
      label,
      async once() {
        const answer = await call("recall", {
          scope: SCOPE,
          query: query(),
          filters: { metadata: { labels } },
        });
        if (!String(answer.context_block).includes("w")) {
          throw new Error(`Nothing was recalled: ${JSON.stringify(answer)}`);
        }
      },
    })),
    { rounds: bench.pick(10, 1), calls: bench.pick(20, 2) },
  );
  return {
    title: `recall among ${events} events`,
    rows: contest.rows,
    figures: contest.rows.map(({ label, p50 }) => ({
      label: `p50 of ${label}`,
      value: p50,
      unit: "ms",
      bar: BAR,
    })),
  };
}

async function writes(
  bench: Bench,
  stage: Stage,
  call: Call,
): Promise<readonly Part[]> {
  await stage.db.write(
    "create table bare_events (id bigint generated always as identity primary key, data jsonb)",
  );
  const sql = stage.bare();
  const parts: Part[] = [];
  for (const size of [1, 100]) {
    const contest = await alternate([
      { label: "ours", once: () => write(call, size) },
      {
        label: "bare insert",
        once: () =>
          sql.unsafe(
            "insert into bare_events (data) select value from jsonb_array_elements($1::text::jsonb)",
            [JSON.stringify(Array.from({ length: size }, event))],
            { prepare: true },
          ),
      },
    ], { rounds: bench.pick(10, 1), calls: bench.pick(20, 2) });
    parts.push({
      title: `writes of ${size}`,
      rows: contest.rows,
      figures: [{
        label: "ours over the bare insert",
        value: contest.ratio("ours", "bare insert"),
        unit: "×",
      }],
    });
  }
  return parts;
}

async function write(call: Call, count: number): Promise<void> {
  const items = Array.from({ length: count }, event);
  const answer = await call("experience/bulk", { scope: SCOPE, items });
  if (answer.accepted !== count) throw new Error(JSON.stringify(answer));
}

function event(): unknown {
  const key = crypto.randomUUID();
  return {
    modality: "conversation",
    content: {
      kind: "message",
      role: "user",
      text: `${ALWAYS} ${words(WORDS_PER_EVENT)}`,
    },
    context: {
      labels: [`item:${key}`, `agent:${Math.floor(random() * 5)}`],
    },
    idempotency_key: key,
  };
}

function words(count: number): string {
  return Array.from({ length: count }, word).join(" ");
}

/** A word by rank: rank r comes up about 1/r as often as the first. */
function word(): string {
  return `w${Math.floor(VOCABULARY ** random()).toString(36)}x`;
}

/** Numbers from 0 to 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
