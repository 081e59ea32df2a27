/**
 * Wakes that are due in the same moment, fired by a server that answers calls
 * meanwhile: each fires once, and what the calls take is told with and without
 * the wakes.
 *
 * @module
 */
import type { Db } from "../../store/pg/mod.ts";
import { startServer } from "../support/process.ts";
import { type Bench, type Benchmark, toRow } from "./benchmark.ts";
import { postBytes } from "./load.ts";
import { openConnection } from "./load.ts";

const KEY = "bench-wakes-key";
/** Longest that a call may take meanwhile, in milliseconds. */
const BAR_MS = 50;

/** The benchmark. */
export const wakes: Benchmark = {
  name: "wakes",
  summary: "10,000 wakes due at once, and what calls take meanwhile",
  async run(bench) {
    const stage = await bench.stage();
    const { db } = stage;
    const count = bench.pick(10_000, 50);
    await using server = await startServer({
      ...stage.env,
      API_KEYS: KEY,
    });
    const port = Number(new URL(server.url).port);
    bench.note("calls without wakes");
    let left = bench.pick(100, 2);
    const alone = await callWhile(port, () => Promise.resolve(left-- > 0));
    bench.note(`${count} wakes are armed`);
    await arm(db, count);
    bench.note("they are due");
    await db.write(
      "update trigger_conditions set due_at = now() where due_at is not null",
    );
    const began = performance.now();
    const meanwhile = await callWhile(port, async () => await armed(db) > 0);
    const tookMs = performance.now() - began;
    await assertOnce(db, count);
    await server.stop();
    const rows = [
      toRow("calls without wakes", alone),
      toRow("calls while wakes fire", meanwhile),
    ];
    return [{
      title: `${count} wakes due at once; calls of get_notifications`,
      rows,
      figures: [
        {
          label: "wakes fired",
          value: count / tookMs * 1_000,
          unit: "/s",
        },
        {
          label: "calls meanwhile, p99",
          value: rows[1]?.p99 ?? NaN,
          unit: "ms",
          ...barOf(bench),
        },
      ],
    }];
  },
};

function barOf({ isShort }: Bench) {
  return isShort ? {} : { bar: { atMost: BAR_MS } };
}

/** Calls one after the other; the times, in milliseconds. */
async function callWhile(
  port: number,
  goesOn: () => Promise<boolean>,
): Promise<number[]> {
  using connection = await openConnection(port);
  const request = postBytes(port, "/mcp?tool_groups=notifications", {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "get_notifications", arguments: { badge_only: true } },
  }, { "X-API-Key": KEY });
  const times: number[] = [];
  // Looking whether it goes on is a statement of its own: not before each call.
  for (let at = 0; at % 20 !== 0 || await goesOn(); at++) {
    const began = performance.now();
    const answer = await connection.exchange(request);
    times.push(performance.now() - began);
    if (!answer.includes("pending notification")) throw new Error(answer);
  }
  return times;
}

async function arm(db: Db, count: number): Promise<void> {
  await db.write(
    `with sleepers as (
       insert into sessions (agent_root_key, status, title, driven_by,
         agent_runtime, wait_reason, lease_no)
       select 'http', 'waiting', 'Sleeper', 'runner', 'command', 'asleep', 1
       from generate_series(1, $1::int) returning id),
     armed as (
       insert into triggers (name, prompt_template, reuse_session,
         enqueue_messages, is_wake, wake_session_id)
       select 'Wake', 'wake up', true, true, true, id from sleepers returning id)
     insert into trigger_conditions (trigger_id, condition_type, configuration, due_at)
     select id, 'schedule',
       '{"scheduled_at": "2199-01-01T00:00:00", "timezone": "UTC"}', '2199-01-01'
     from armed`,
    [count],
  );
}

async function armed(db: Db): Promise<number> {
  const [row] = await db.read<{ n: number }>(
    "select count(*)::int as n from (select from triggers where is_wake limit 1) one",
  );
  return row?.n ?? 0;
}

async function assertOnce(db: Db, count: number): Promise<void> {
  const [row] = await db.read<{ woken: number; messages: number }>(
    `select count(distinct m.session_id)::int as woken, count(*)::int as messages
     from enqueued_messages m join sessions s on s.id = m.session_id
     where s.title = 'Sleeper' and m.origin = 'wake'`,
  );
  if (row?.woken !== count || row.messages !== count) {
    throw new Error(`${row?.woken} woken by ${row?.messages} messages`);
  }
}
