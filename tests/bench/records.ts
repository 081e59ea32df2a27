/**
 * Put and get over stdio, beside the statement they consist of: through the
 * driver in this process, and through the driver behind the same pipe.
 *
 * The second says what a process of one's own costs: two wake-ups on the way
 * there and two on the way back, before anything is done.
 *
 * @module
 */
import { HEAD_COLUMNS } from "../../store/root_data/records.ts";
import { GROUPS } from "../../mcp/tools/registry.ts";
import { alternate, type Contest, type Rounds } from "./alternate.ts";
import type { Bench, Benchmark, Part } from "./benchmark.ts";
import { assertAnswer, openPipes, openStdio } from "./pipe_client.ts";
import { fill, openWindows, sessionOf, type Stage } from "./stage.ts";

const NAMESPACE = "records";
const COLLECTION = "c0";
const RECORDS = 1_000;
/** Fewer than the writes a minute. */
const CALLS = 50;
const LIST_BAR_MS = 5;

const OURS = "ours over stdio";
const PIPE = "same pipe alone";
const PIPED = "bare statement, same pipe";
const BARE = "bare statement, in process";

/** The statement of a get. */
export const GET_STATEMENT = `select ${HEAD_COLUMNS}, data
  from agent_root_records where namespace = $1 and collection = $2 and key = $3`;
/** The statement of a put. */
export const PUT_STATEMENT =
  "select * from root_data_put($1, $2, $3, $4::text::jsonb, $5, $6, $7, $8, $9, $10, $11)";

/** Parameters of a put. */
export function putParams(
  [namespace, collection, key]: readonly [string, string, string | null],
  json: string,
  sessionId: number,
): unknown[] {
  return [
    namespace,
    collection,
    key,
    json,
    json.length,
    sessionId,
    null,
    10_000,
    25,
    60,
    60,
  ];
}

/** The benchmark. */
export const records: Benchmark = {
  name: "records",
  summary: "put and get over stdio, against the bare statement, and tools/list",
  async run(bench) {
    const stage = await bench.stage();
    await fill(stage.db, NAMESPACE, COLLECTION, RECORDS);
    const rounds = {
      rounds: bench.pick(40, 1),
      calls: bench.pick(CALLS, 5),
      warmUp: bench.pick(40, 1),
    };
    return [
      ...await compare(bench, stage, rounds),
      await listTools(stage, rounds),
    ];
  },
};

async function compare(
  bench: Bench,
  stage: Stage,
  rounds: Rounds,
): Promise<Part[]> {
  const sql = stage.bare();
  const sessionId = await sessionOf(stage.db, NAMESPACE);
  await using ours = await openStdio(NAMESPACE, stage.env);
  await using floor = await openPipes(Deno.execPath(), [
    "run",
    "-q",
    "-P=test",
    new URL("./floor_server.ts", import.meta.url).pathname,
    JSON.stringify(stage.target),
  ], stage.env);
  const statement = (text: string, params: unknown[]) =>
    sql.unsafe(text, params as never[], { prepare: true });
  const piped = (text: string, params: unknown[]) =>
    floor.exchange(JSON.stringify({ text, params }));

  const keyOf = (index: number) => `k${index % RECORDS}`;
  const dataOf = (index: number) => ({
    title: `Record ${index}`,
    batch: index,
    body: "x".repeat(200),
  });
  const get = (index: number) => [NAMESPACE, COLLECTION, keyOf(index)];
  const put = (index: number) =>
    putParams(
      [NAMESPACE, COLLECTION, keyOf(index)],
      JSON.stringify(dataOf(index)),
      sessionId,
    );
  const address = (index: number) => ({
    collection: COLLECTION,
    key: keyOf(index),
  });
  const prepare = () => openWindows(stage.db);

  bench.note("ping");
  const pings = await alternate([
    { label: OURS, once: () => assertAnswer(ours.request("ping")) },
    { label: PIPE, once: () => floor.exchange("{}") },
  ], rounds);

  bench.note("get");
  assertSame(ours.call("get_root_record", address(1)), [
    JSON.parse(piped(GET_STATEMENT, get(1))),
    await statement(GET_STATEMENT, get(1)),
  ]);
  const gets = await alternate([
    {
      label: OURS,
      once: (index) => ours.call("get_root_record", address(index)),
    },
    { label: PIPED, once: (index) => piped(GET_STATEMENT, get(index)) },
    { label: BARE, once: (index) => statement(GET_STATEMENT, get(index)) },
  ], rounds);

  bench.note("put");
  const puts = await alternate([
    {
      label: OURS,
      prepare,
      once: (index) =>
        ours.call("put_root_record", {
          ...address(index),
          data: dataOf(index),
        }),
    },
    {
      label: PIPED,
      prepare,
      once: (index) => piped(PUT_STATEMENT, put(index)),
    },
    {
      label: BARE,
      prepare,
      once: (index) => statement(PUT_STATEMENT, put(index)),
    },
  ], rounds);
  assertSame(ours.call("get_root_record", address(0)), [
    await statement(GET_STATEMENT, get(0)),
  ]);
  return [
    {
      title: "ping",
      rows: pings.rows,
      figures: [{
        label: "ours over the pipe alone",
        value: pings.ratio(OURS, PIPE),
        unit: "×",
      }],
    },
    toPart("get_root_record", gets, 1.5),
    toPart("put_root_record", puts, 1.25),
  ];
}

/** The list of every tool that a process can show. */
async function listTools(stage: Stage, rounds: Rounds): Promise<Part> {
  const groups = GROUPS.map(({ name }) => name).join(",");
  await using all = await openStdio(NAMESPACE, stage.env, {
    words: ["--groups", groups],
  });
  const { tools } = JSON.parse(all.request("tools/list")).result;
  const { rows } = await alternate([
    { label: OURS, once: () => assertAnswer(all.request("tools/list")) },
  ], rounds);
  return {
    title: `tools/list of ${tools.length} tools`,
    rows,
    figures: [{
      label: "p50",
      value: rows[0]?.p50 ?? NaN,
      unit: "ms",
      bar: { atMost: LIST_BAR_MS },
    }],
  };
}

function toPart(title: string, contest: Contest, atMost: number): Part {
  return {
    title,
    rows: contest.rows,
    figures: [
      {
        label: "ours over the bare statement in process",
        value: contest.ratio(OURS, BARE),
        unit: "×",
      },
      {
        label: "ours over the bare statement behind the same pipe",
        value: contest.ratio(OURS, PIPED),
        unit: "×",
        bar: { atMost },
      },
      {
        label: "the bare statement behind the pipe over in process",
        value: contest.ratio(PIPED, BARE),
        unit: "×",
      },
    ],
  };
}

/** Whether the tool's answer holds what the statements returned. */
function assertSame(
  line: string,
  answers: readonly (readonly Readonly<Record<string, unknown>>[])[],
): void {
  const { structuredContent } = JSON.parse(line).result;
  const mine = JSON.stringify(structuredContent.record.data);
  for (const [row] of answers) {
    if (JSON.stringify(row?.data) !== mine) {
      throw new Error(`Ours is ${mine}, the statement's ${row?.data}`);
    }
  }
}
