/**
 * How long one call holds the event loop, kind by kind, within the limits:
 * 40 documents of 990,000 characters, long conversations, large records.
 *
 * The whole endpoint is called in this process, so that its loop is ours.
 *
 * @module
 */
import { openCatalog } from "../../catalog/mod.ts";
import { openMemoryService } from "../../cli/app/memory.ts";
import { settingsOf } from "../../cli/settings/config.ts";
import { readSettings } from "../../cli/settings/read_config.ts";
import { rememberSessionRoots } from "../../mcp/caller/session_roots.ts";
import { createHttpHandler } from "../../mcp/http.ts";
import { createLog } from "../../mcp/log.ts";
import { watchLoop } from "../support/loop_probe.ts";
import { type Bench, type Benchmark, type Row, toRow } from "./benchmark.ts";
import { sessionOf, type Stage } from "./stage.ts";

const KEY = "bench";
const ROOT = "blocking";
/** The design's limit, in milliseconds. */
const BAR = { atMost: 100 } as const;

/** Calls a tool; its answer as data. */
// deno-lint-ignore no-explicit-any -- answers are looked into freely
type Call = (name: string, args: object) => Promise<any>;

/** The benchmark. */
export const blocking: Benchmark = {
  name: "blocking",
  summary: "how long a call holds the event loop, by kind of call",
  async run(bench) {
    const stage = await bench.stage();
    const call = await openTools(stage);
    const size = bench.pick(990_000, 3_000);
    const ids = await fill(bench, call, size);
    const talk = "What was planted in the garden?";
    const long = { kind: "document", title: "Stored again" };
    const kinds: readonly (readonly [string, () => Promise<unknown>])[] = [
      ["list", () => call("list_memories", { limit: 100 })],
      ["six lists at once", () =>
        Promise.all(
          Array.from(
            { length: 6 },
            () => call("list_memories", { limit: 100 }),
          ),
        )],
      ["recall", () => call("recall_memory", { query: talk, limit: 50 })],
      [
        "recall with answer",
        () => call("recall_memory", { query: talk, limit: 50, answer: true }),
      ],
      ["get", () => call("get_memory", { ids })],
      [
        "get, far in",
        () =>
          call("get_memory", { ids: ids.slice(0, 1), text_offset: size - 100 }),
      ],
      ["history", () => call("get_conversation_history", { limit: 100 })],
      [
        "forget preview",
        () => call("forget_memory", { kinds: ["document"], preview: true }),
      ],
      ["store of a long text", () =>
        call("store_memory", {
          ...long,
          text: `${crypto.randomUUID()} ${prose(size)}`,
        })],
      ["put of 32 KB", () => call("put_root_record", record(0))],
      [
        "search page",
        () => call("search_root_records", { collection: "c0", limit: 50 }),
      ],
    ];
    const rounds = bench.pick(3, 1);
    const blocks: Row[] = [];
    const times: Row[] = [];
    let worst = 0;
    using probe = watchLoop();
    for (const [label, run] of kinds) {
      const gaps: number[] = [];
      const took: number[] = [];
      for (let round = 0; round < rounds; round++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        probe.take();
        const began = performance.now();
        await run();
        took.push(performance.now() - began);
        gaps.push(probe.take());
      }
      bench.note(
        `${label}: held ${Math.max(...gaps).toFixed(0)} ms, took ${
          Math.max(...took).toFixed(0)
        } ms at most`,
      );
      blocks.push(toRow(label, gaps));
      times.push(toRow(label, took));
      worst = Math.max(worst, ...gaps);
    }
    return [
      {
        title: "longest block of the event loop",
        rows: blocks,
        figures: [{ label: "any call", value: worst, unit: "ms", bar: BAR }],
      },
      {
        title: "the calls themselves",
        rows: times,
        figures: [{
          label: "resident memory",
          value: Deno.memoryUsage().rss / 1024 / 1024,
          unit: "MiB",
        }],
      },
    ];
  },
};

async function fill(
  bench: Bench,
  call: Call,
  size: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < bench.pick(40, 3); at++) {
    const text = `Report ${at}. ${prose(size)}`;
    const { id } = await call("store_memory", { kind: "document", text });
    ids.push(id);
  }
  bench.note("documents are stored");
  for (let at = 0; at < bench.pick(20, 2); at++) {
    const turns = Array.from(
      { length: bench.pick(1_000, 20) },
      (_, turn) => ({ role: "user", text: `Turn ${turn} of talk ${at}.` }),
    );
    await call("store_memory", {
      kind: "conversation",
      turns,
      thread_id: `t${at}`,
    });
  }
  bench.note("conversations are stored");
  for (let at = 0; at < bench.pick(50, 3); at++) {
    await call("put_root_record", record(at));
  }
  return ids;
}

/** Sentences without end, the words of a query far in. */
function prose(size: number): string {
  const line = "The quick brown fox looks over the fence, and all is well. ";
  const text = line.repeat(Math.ceil(size / line.length)).slice(0, size);
  const place = Math.floor(size * 0.9);
  return text.slice(0, place) + " Tulips were planted in the garden. " +
    text.slice(place + 40);
}

function record(at: number): object {
  const data = { title: `Record ${at}`, body: "x".repeat(31_000) };
  return { collection: "c0", key: `k${at}`, data };
}

/** The tools of a session of the root, over the endpoint's own handler. */
async function openTools({ db, env, isEmbedded = true }: Stage & {
  readonly isEmbedded?: boolean;
}): Promise<Call> {
  const store = {
    isEmbedded,
    db: () => Promise.resolve(db),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const log = createLog("error", () => {});
  const { config } = readSettings(settingsOf("cortex", "layout"), {
    flags: {},
    env: () => undefined,
    os: "linux",
    uid: 0,
  });
  const handler = createHttpHandler({
    catalog: openCatalog({ source: env.CATALOG ?? "", aliases: {} }),
    store,
    sessionRoots: rememberSessionRoots(store),
    requireSessionToken: false,
    log,
    memory: openMemoryService(config, { store, log }),
  }, {
    apiKeys: [KEY],
    allowedHosts: ["localhost"],
    allowedOrigins: ["localhost"],
  });
  const session = await sessionOf(db, ROOT);
  const path = `/mcp?tool_groups=memory,root_data&session_id=${session}`;
  return async (name, args) => {
    const response = await handler.fetch(
      new Request(`http://localhost${path}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          host: "localhost",
          "x-api-key": KEY,
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: args },
        }),
      }),
    );
    const { result } = await response.json();
    if (result?.isError !== undefined || result === undefined) {
      throw new Error(`${name}: ${JSON.stringify(result).slice(0, 300)}`);
    }
    return result.structuredContent;
  };
}
