/**
 * The local CortexDB at its HTTP handler: recall in a scope of 100,000 events,
 * and stores beside the bare insert of the rows that they write.
 *
 * @module
 */
import { createDirectClient } from "../../../cortex/client/mod.ts";
import {
  type ConversationItem,
  createEngine,
  type LearningItem,
  readEngineSettings,
} from "../../../cortex/mod.ts";
import { parseNode } from "../../../cortex/layout/mod.ts";
import { alternate, type Contestant } from "../alternate.ts";
import type { Bench, Benchmark, Part } from "../benchmark.ts";
import type { Stage } from "../stage.ts";
import { openBareRows } from "./bare_rows.ts";
import {
  type Call,
  callerOf,
  type Fetch,
  QUERIES,
  recall,
  serviceOn,
  store,
  text,
} from "./events.ts";

const BATCH = 1_000;
/** The design's limit for a recall, in milliseconds. */
const RECALL_BAR = { atMost: 30 } as const;
/** The design's limit for a store, over the bare insert of its rows. */
const STORE_BAR = { atMost: 3 } as const;

/** The benchmark. */
export const cortex: Benchmark = {
  name: "cortex",
  summary: "recall among 100,000 events, and stores against bare inserts",
  async run(bench) {
    const stage = await bench.stage();
    const fetch = serviceOn(stage);
    const call = callerOf(fetch);
    const events = bench.pick(100_000, 200);
    for (let left = events; left > 0; left -= BATCH) {
      if (left % 20_000 === 0) bench.note(`${left} events to go`);
      await store(call, Math.min(left, BATCH));
    }
    await stage.db.write("vacuum analyze cortex_events, cortex_passages");
    return [
      await recalls(bench, call, events),
      ...await stores(bench, stage, fetch),
    ];
  },
};

async function recalls(
  bench: Bench,
  call: Call,
  events: number,
): Promise<Part> {
  const contest = await alternate(
    QUERIES.map(([label, query, labels]): Contestant => ({
      label,
      once: () => recall(call, query(), { labels }),
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
      bar: RECALL_BAR,
    })),
  };
}

/** Stores of events and of memories, each beside the rows that it wrote. */
async function stores(
  bench: Bench,
  stage: Stage,
  fetch: Fetch,
): Promise<readonly Part[]> {
  const bare = await openBareRows(stage, "bare");
  const call = callerOf(fetch);
  const engine = createEngine({
    client: createDirectClient({
      endpoint: "http://localhost",
      credential: "any",
      fetch: (input, init) => fetch(new Request(input, init)),
    }),
    layout: readEngineSettings({}).layout,
    isVisibleAtOnce: true,
  });
  const contests: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["an event", () => store(call, 1)],
    ["100 events at once", () => store(call, 100)],
    ["a learning through the engine", () => engine.store([learning()])],
    [
      "a conversation of 100 turns through the engine",
      () => engine.store([conversation(100)]),
    ],
  ];
  const parts: Part[] = [];
  for (const [what, once] of contests) {
    const contest = await alternate([
      { label: "ours", once },
      {
        label: "bare insert",
        prepare: () => bare.learn(),
        once: () => bare.insert(),
      },
    ], { rounds: bench.pick(10, 1), calls: bench.pick(20, 2) });
    parts.push({
      title: `store of ${what}`,
      rows: contest.rows,
      figures: [{
        label: "ours over the bare insert of its rows",
        value: contest.ratio("ours", "bare insert"),
        unit: "×",
        bar: STORE_BAR,
      }],
    });
  }
  return parts;
}

function learning(): LearningItem {
  return {
    kind: "learning",
    text: text(),
    learningKind: "fact",
    confidence: 0.8,
    meta: { node: parseNode("ws:main") },
  };
}

function conversation(turns: number): ConversationItem {
  return {
    kind: "conversation",
    turns: Array.from({ length: turns }, (_, turn) => ({
      role: turn % 2 === 0 ? "user" : "assistant",
      text: text(),
    })),
    meta: { node: parseNode("ws:main"), agentId: "bench" },
  };
}
