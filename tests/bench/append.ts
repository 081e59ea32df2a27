/**
 * Appends in parallel: over HTTP connections, and by several stdio processes at
 * once, beside the bare statement on as many connections to the database.
 *
 * Every block appends to all 25 collections of a namespace, so that the rate
 * limit of none is reached. At the end as many records must be there as were
 * acknowledged.
 *
 * @module
 */
import { startServer } from "../support/process.ts";
import { toContest } from "./alternate.ts";
import type { Bench, Benchmark } from "./benchmark.ts";
import { type Connection, openConnection, postBytes } from "./load.ts";
import {
  assertAnswer,
  type McpClient,
  openStdio,
  requestLine,
} from "./pipe_client.ts";
import { PUT_STATEMENT, putParams } from "./records.ts";
import {
  COLLECTION_NAMES,
  openWindows,
  sessionOf,
  type Stage,
} from "./stage.ts";

const NAMESPACE = "append";
const DATA = { title: "Appended", body: "x".repeat(200) };
/** Connections to the database, as the product has by default. */
const POOL = 5;
const CONNECTIONS = [1, 4, 16];
const PROCESSES = 4;
/** Requests that a stdio process has at a time. */
const IN_FLIGHT = 8;

/** Appends so many records and returns how long each took. */
type Block = (records: number) => Promise<number[]>;

/** The benchmark. */
export const append: Benchmark = {
  name: "append",
  summary: "appends in parallel, HTTP and stdio, against the bare statement",
  async run(bench) {
    const stage = await bench.stage();
    const sessionId = await sessionOf(stage.db, NAMESPACE);
    await using stack = new AsyncDisposableStack();
    const blocks = new Map<string, Block>();
    for (const parallel of CONNECTIONS) {
      const sql = stage.bare(Math.min(parallel, POOL));
      blocks.set(
        `bare statement, ${parallel} at a time`,
        (records) =>
          inParallel(parallel, records, (at) =>
            sql.unsafe(
              PUT_STATEMENT,
              putParams(
                [NAMESPACE, collectionAt(at), null],
                JSON.stringify(DATA),
                sessionId,
              ) as never[],
              { prepare: true },
            )),
      );
    }
    const server = stack.use(
      await startServer({ ...stage.env, API_KEYS: "bench" }),
    );
    const port = Number(new URL(server.url).port);
    const query = `?tool_groups=root_data&session_id=${sessionId}`;
    for (const parallel of CONNECTIONS) {
      blocks.set(
        `HTTP, ${parallel} connections`,
        async (records) => {
          // Anew for each block: between two of them the server would end them.
          await using open = new AsyncDisposableStack();
          const connections: Connection[] = [];
          for (let n = 0; n < parallel; n++) {
            connections.push(open.use(await openConnection(port)));
          }
          return await inParallel(parallel, records, async (at, worker) => {
            const connection = connections[worker];
            if (connection === undefined) throw new Error("No connection");
            const request = postBytes(port, `/mcp${query}`, {
              jsonrpc: "2.0",
              id: 1,
              method: "tools/call",
              params: appendCall(at),
            }, { "X-API-Key": "bench" });
            assertAnswer(await connection.exchange(request));
          });
        },
      );
    }
    const clients: McpClient[] = [];
    for (let n = 0; n < PROCESSES; n++) {
      clients.push(stack.use(await openStdio(NAMESPACE, stage.env)));
    }
    blocks.set(
      `stdio, ${PROCESSES} processes`,
      (records) => Promise.resolve(overStdio(clients, records)),
    );
    return [await compare(bench, stage, blocks)];
  },
};

async function compare(
  bench: Bench,
  stage: Stage,
  blocks: ReadonlyMap<string, Block>,
) {
  const rounds = bench.pick(6, 1);
  const records = bench.pick(1_000, 50);
  const times = new Map(
    [...blocks.keys()].map((label) => [label, [] as number[][]] as const),
  );
  const tooks = new Map(
    [...blocks.keys()].map((label) => [label, [] as number[][]] as const),
  );
  for (let round = 0; round <= rounds; round++) {
    bench.note(`round ${round} of ${rounds}`);
    for (const [label, block] of blocks) {
      await openWindows(stage.db);
      const began = performance.now();
      const took = await block(records);
      const whole = (performance.now() - began) / records;
      if (round === 0) continue;
      times.get(label)?.push(took);
      tooks.get(label)?.push([whole]);
    }
  }
  await assertStored(stage, (rounds + 1) * records * blocks.size);
  const latency = toContest(times);
  const throughput = toContest(tooks);
  const figures = [...CONNECTIONS.map((parallel) => ({
    label: `rate of HTTP over the bare statement, ${parallel} at a time`,
    value: throughput.ratio(
      `bare statement, ${parallel} at a time`,
      `HTTP, ${parallel} connections`,
    ),
    unit: "×",
  } as const))];
  return {
    title: "append_root_record, 25 collections",
    rows: latency.rows.map((row, at) => ({
      ...row,
      rate: throughput.rows[at]?.rate ?? NaN,
    })),
    figures,
  };
}

/** Records and counters say what was acknowledged. */
async function assertStored(stage: Stage, expected: number): Promise<void> {
  const [row] = await stage.db.read(
    `select (select count(*)::int from agent_root_records where namespace = $1) as stored,
       (select sum(records_count)::int from agent_root_record_counters
          where namespace = $1) as counted`,
    [NAMESPACE],
  );
  if (row?.stored === expected && row.counted === expected) return;
  throw new Error(`${expected} were acknowledged: ${JSON.stringify(row)}`);
}

/** Runs `records` calls on so many workers; how long each took. */
async function inParallel(
  workers: number,
  records: number,
  once: (at: number, worker: number) => PromiseLike<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: workers }, async (_, worker) => {
    while (next < records) {
      const at = next++;
      const began = performance.now();
      await once(at, worker);
      times.push(performance.now() - began);
    }
  }));
  return times;
}

/** A batch to every process, then its answers; a time is a batch's part. */
function overStdio(clients: readonly McpClient[], records: number): number[] {
  const times: number[] = [];
  for (let at = 0; at < records;) {
    const began = performance.now();
    const sent = clients.flatMap((client) =>
      Array.from({ length: Math.min(IN_FLIGHT, records - at) }, () => {
        client.send(requestLine(at, "tools/call", appendCall(at)));
        at++;
        return client;
      })
    );
    for (const client of sent) assertAnswer(client.receive());
    const took = (performance.now() - began) / sent.length;
    for (const _ of sent) times.push(took);
  }
  return times;
}

function collectionAt(at: number): string {
  return COLLECTION_NAMES[at % COLLECTION_NAMES.length] ?? "c0";
}

function appendCall(at: number): unknown {
  return {
    name: "append_root_record",
    arguments: { collection: collectionAt(at), data: DATA },
  };
}
