/**
 * Tool calls over HTTP, against bare Hono and plain servers of the SDK.
 *
 * Without a database the product is called with its key, checks host,
 * credential and arguments, and refuses `list_root_collections` because the
 * connection names no session. With one, it gets a record, and the floor is
 * Hono around the bare statement.
 *
 * @module
 */
import { type Bench, type Benchmark, median, type Part } from "./benchmark.ts";
import { applyLoad, type Load, postBytes } from "./load.ts";
import { fill, sessionOf, type Stage } from "./stage.ts";

const CONNECTIONS = 32;
const NAMESPACE = "http";

/** What is compared: a server, and how it is called. */
interface Contestant {
  readonly label: string;
  /** Name of the server in `http_server.ts`. */
  readonly server: string;
  readonly era: "legacy" | "modern";
}

const WITHOUT_DATABASE: readonly Contestant[] = [
  { label: "bare Hono", server: "hono", era: "legacy" },
  { label: "plain, legacy", server: "plain", era: "legacy" },
  { label: "plain, modern", server: "plain", era: "modern" },
  { label: "plain, one tool, modern", server: "plain-one", era: "modern" },
  { label: "plain, schemas built once", server: "plain-shared", era: "modern" },
  { label: "ours, legacy", server: "ours", era: "legacy" },
  { label: "ours, modern", server: "ours", era: "modern" },
];

const WITH_DATABASE: readonly Contestant[] = [
  { label: "Hono and the statement", server: "hono-get", era: "legacy" },
  { label: "ours, legacy", server: "ours-get", era: "legacy" },
  { label: "ours, modern", server: "ours-get", era: "modern" },
];

const MODERN_META = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

/** The benchmark. */
export const http: Benchmark = {
  name: "http",
  summary: "tool calls over HTTP, against bare Hono and plain SDK servers",
  async run(bench) {
    const stage = await bench.stage();
    await fill(stage.db, NAMESPACE, "c0", 10);
    const sessionId = await sessionOf(stage.db, NAMESPACE);
    await using servers = new Servers(stage);
    const refused = await measure(bench, servers, {
      contestants: WITHOUT_DATABASE,
      tool: "list_root_collections",
      args: {},
      query: "tool_groups=root_data",
      expect: '"text":"',
    });
    const got = await measure(bench, servers, {
      contestants: WITH_DATABASE,
      tool: "get_root_record",
      args: { collection: "c0", key: "k1" },
      query: `tool_groups=root_data&session_id=${sessionId}`,
      expect: "Record 1",
    });
    return [
      refused("tools/call without database", [
        ["ours, legacy", "plain, legacy", 5],
        ["ours, modern", "plain, modern", 5],
        ["ours, modern", "plain, schemas built once", 1],
        ["ours, modern", "bare Hono"],
      ]),
      got("get_root_record", [
        ["ours, legacy", "Hono and the statement"],
        ["ours, modern", "Hono and the statement"],
      ]),
    ];
  },
};

interface Call {
  readonly contestants: readonly Contestant[];
  readonly tool: string;
  readonly args: unknown;
  readonly query: string;
  /** What every answer must hold. */
  readonly expect: string;
}

/** Loads each in turns; returns what makes the part of a report. */
async function measure(
  bench: Bench,
  servers: Servers,
  { contestants, tool, args, query, expect }: Call,
): Promise<
  (
    title: string,
    ratios: readonly (readonly [string, string, number?])[],
  ) => Part
> {
  const rounds = bench.pick(5, 1);
  const loads = new Map<string, Load[]>();
  for (let round = 0; round <= rounds; round++) {
    bench.note(`${tool}, round ${round} of ${rounds}`);
    for (const one of contestants) {
      const port = await servers.portOf(one.server);
      const isModern = one.era === "modern";
      const body = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: tool,
          arguments: args,
          ...(isModern ? MODERN_META : {}),
        },
      };
      const request = postBytes(port, `/mcp?${query}`, body, {
        "X-API-Key": "bench",
        ...(isModern
          ? {
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
          }
          : {}),
      });
      const load = await applyLoad(port, request, {
        connections: bench.pick(CONNECTIONS, 2),
        seconds: bench.pick(3, 0.1),
        expect,
      });
      // The first round only warms up.
      if (round > 0) {
        loads.set(one.label, [...loads.get(one.label) ?? [], load]);
      }
    }
  }
  const of = (label: string) => loads.get(label) ?? [];
  return (title, ratios) => ({
    title: `${title}, ${bench.pick(CONNECTIONS, 2)} connections`,
    rows: contestants.map(({ label }) => ({
      label,
      count: of(label).reduce((sum, { count }) => sum + count, 0),
      p50: median(of(label).map(({ p50 }) => p50)),
      p99: median(of(label).map(({ p99 }) => p99)),
      rate: median(of(label).map(({ rate }) => rate)),
    })),
    figures: ratios.map(([mine, base, atLeast]) => ({
      label: `rate of ${mine} over ${base}`,
      value: median(
        of(mine).map(({ rate }, round) =>
          rate / (of(base)[round]?.rate ?? NaN)
        ),
      ),
      unit: "×",
      ...(atLeast === undefined ? {} : { bar: { atLeast } }),
    })),
  });
}

/** Servers of `http_server.ts`, started when they are first needed. */
class Servers implements AsyncDisposable {
  readonly #running = new Map<string, [Deno.ChildProcess, Promise<number>]>();
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  portOf(name: string): Promise<number> {
    const known = this.#running.get(name);
    if (known !== undefined) return known[1];
    const { target, env } = this.#stage;
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-q",
        "-P=test",
        new URL("./http_server.ts", import.meta.url).pathname,
        name,
        JSON.stringify(target),
      ],
      env: { ...env },
      stdout: "piped",
    }).spawn();
    const port = firstNumber(child.stdout);
    this.#running.set(name, [child, port]);
    return port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [child] of this.#running.values()) {
      child.kill("SIGKILL");
      await child.status;
    }
  }
}

async function firstNumber(
  stream: ReadableStream<Uint8Array>,
): Promise<number> {
  let text = "";
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error("The server did not start");
    text += value;
  }
  await reader.cancel();
  return Number(text);
}
