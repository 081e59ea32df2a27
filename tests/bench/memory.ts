/**
 * Storing and recalling among up to 10,000 learnings over stdio, against the
 * official memory server over the same pipes and with the same data.
 *
 * Ours answers a store when the learning is on disk and readers find it. A
 * recall ranks by words; the memory server's search looks for a text.
 *
 * @module
 */
import { createDirectClient } from "../../cortex/client/mod.ts";
import {
  createEngine,
  type Engine,
  type LearningItem,
  readEngineSettings,
} from "../../cortex/mod.ts";
import { createLocalCortex } from "../../cortex/local/mod.ts";
import { parseNode } from "../../cortex/layout/mod.ts";
import { PostgresEventLog } from "../../store/event_log/event_log.ts";
import { clientPath, HAS_NPM } from "../support/clients.ts";
import { alternate } from "./alternate.ts";
import type { Bench, Benchmark, Part } from "./benchmark.ts";
import { openMcp, openStdio } from "./pipe_client.ts";
import type { Stage } from "./stage.ts";

const OURS = "ours";
const THEIRS = "server-memory";
const ROOT = "memory";
const FILL_BATCH = 100;

/** The benchmark. */
export const memory: Benchmark = {
  name: "memory",
  summary: "store and recall among up to 10,000 items, against server-memory",
  missing: HAS_NPM ? undefined : "npm and Node are not installed",
  async run(bench) {
    const stage = await bench.stage();
    const engine = openEngine(stage);
    const parts: Part[] = [];
    let filled = 0;
    for (const size of bench.pick([1_000, 10_000], [100])) {
      bench.note(`${size} items`);
      await fill(engine, filled, size);
      await stage.db.write("vacuum analyze cortex_events, cortex_passages");
      parts.push(...await atSize(bench, stage, size));
      // What was stored on top is numbered from another beginning.
      filled = size;
    }
    return parts;
  },
};

async function atSize(
  bench: Bench,
  stage: Stage,
  size: number,
): Promise<Part[]> {
  const rounds = {
    rounds: bench.pick(10, 1),
    calls: bench.pick(20, 3),
    warmUp: bench.pick(5, 1),
  };
  const folder = await Deno.makeTempDir({ prefix: "rc-bench-" });
  try {
    const path = `${folder}/memory.jsonl`;
    await Deno.writeTextFile(path, linesOf(size));
    await using ours = await openStdio(ROOT, stage.env);
    const peer = await clientPath(
      "@modelcontextprotocol/server-memory/dist/index.js",
    );
    await using theirs = await openMcp("node", [peer], {
      ...stage.env,
      MEMORY_FILE_PATH: path,
    });
    const recall = await alternate([
      {
        label: OURS,
        once(index) {
          const name = nameOf(index % size);
          const line = ours.call("recall_memory", { query: name, limit: 1 });
          const [hit] = JSON.parse(line).result.structuredContent.items;
          assertFound(String(hit?.text).startsWith(name), line);
        },
      },
      {
        label: THEIRS,
        once(index) {
          const name = nameOf(index % size);
          const line = theirs.call("search_nodes", { query: name });
          const [hit] = JSON.parse(line).result.structuredContent.entities;
          assertFound(hit?.name === name, line);
        },
      },
    ], rounds);
    const store = await alternate([
      {
        label: OURS,
        once(index) {
          const text = textOf(newNumber(size, index));
          const line = ours.call("store_memory", { kind: "learning", text });
          const { result } = JSON.parse(line).result.structuredContent;
          assertFound(result === "stored", line);
        },
      },
      {
        label: THEIRS,
        once: (index) =>
          theirs.call("create_entities", {
            entities: [entity(newNumber(size, index))],
          }),
      },
    ], rounds);
    return [["recall", recall], ["store", store]].map(([what, contest]) => {
      const { rows, ratio } = contest as typeof store;
      return {
        title: `${what} among ${size} memories`,
        rows,
        figures: [{
          label: "server-memory over ours",
          value: ratio(THEIRS, OURS),
          unit: "×",
        }],
      };
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The engine of the server's own memory, on the same database. */
function openEngine({ db }: Stage): Engine {
  const { fetch } = createLocalCortex({
    log: new PostgresEventLog(() => Promise.resolve(db)),
  });
  return createEngine({
    client: createDirectClient({
      endpoint: "http://localhost",
      credential: "any",
      fetch: (input, init) => fetch(new Request(input, init)),
    }),
    layout: readEngineSettings({}).layout,
  });
}

async function fill(engine: Engine, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += FILL_BATCH) {
    const count = Math.min(FILL_BATCH, to - at);
    await engine.store(
      Array.from({ length: count }, (_, index) => learning(at + index)),
      { wait: "accepted" },
    );
  }
}

function learning(number: number): LearningItem {
  return {
    kind: "learning",
    text: textOf(number),
    learningKind: "fact",
    confidence: 0.8,
    meta: { node: parseNode("root"), agentId: ROOT },
  };
}

/** Numbers of what is stored on top, apart from all others. */
function newNumber(size: number, index: number): number {
  return 500_000 + size * 10 + index;
}

function nameOf(number: number): string {
  return `project${String(number).padStart(6, "0")}`;
}

/** About 300 bytes, as an agent's notes are. */
function observations(number: number): readonly string[] {
  const name = nameOf(number);
  return [1, 2, 3].map((part) =>
    `Observation ${part} of ${name}: it was looked at and all was well there`
  );
}

function textOf(number: number): string {
  return [nameOf(number), ...observations(number)].join(". ");
}

function entity(number: number): Readonly<Record<string, unknown>> {
  return {
    name: nameOf(number),
    entityType: "project",
    observations: observations(number),
  };
}

function linesOf(count: number): string {
  return Array.from(
    { length: count },
    (_, number) => JSON.stringify({ type: "entity", ...entity(number) }),
  ).join("\n");
}

function assertFound(isFound: boolean, line: string): void {
  if (!isFound) throw new Error(`Another answer: ${line.slice(0, 300)}`);
}
