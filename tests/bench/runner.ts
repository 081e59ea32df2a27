/**
 * Sessions of the runtime `command` on one runner: from their start to the
 * agent's first word, turns a second, and how late events are when fifty turns
 * run at once. A runner and a server are processes of their own; all times are
 * read from the database's clock, but for what agents print.
 *
 * @module
 */
import { programArguments } from "../../cli/entry/start_command.ts";
import type { Db } from "../../store/pg/mod.ts";
import { insertRunner } from "../../store/turns/mod.ts";
import { mainFolder, startServer } from "../support/process.ts";
import { type Benchmark, toRow } from "./benchmark.ts";
import type { Stage } from "./stage.ts";

const KEY = "bench-runner-key-of-its-own";
/** From `start_session` to the agent's first event, p50, in milliseconds. */
const FIRST_EVENT_BAR_MS = 300;
/** Fifty turns at once: how late events may be, p99, in milliseconds. */
const LAG_BAR_MS = 1_000;
const SLOTS = 50;
const LIMIT_MS = 300_000;

/** Says what it was told; told to, says what time it is for a while. */
const AGENT = `prompt=$(cat)
echo "$prompt"
[ "$prompt" = clock ] || exit 0
for n in 1 2 3 4 5 6 7 8 9 10; do date +%s%3N; sleep 0.2; done`;

/** The benchmark. */
export const runner: Benchmark = {
  name: "runner",
  summary: "sessions of `command`: start to first event, turns a second, lag",
  async run(bench) {
    const stage = await bench.stage();
    const { db } = stage;
    await using server = await startServer({ ...stage.env, API_KEYS: KEY });
    await using _runner = await openRunner(stage, new URL(server.url).origin);
    await play(server.url, db, {
      count: 2,
      prompt: "warm up",
      isTogether: false,
    });

    bench.note("sessions one after the other");
    const alone = await play(server.url, db, {
      count: bench.pick(40, 2),
      prompt: "one",
      isTogether: false,
    });
    const firsts = await firstEvents(db, alone.ids);

    bench.note("sessions all at once");
    const many = await play(server.url, db, {
      count: bench.pick(200, 4),
      prompt: "many",
      isTogether: true,
    });

    bench.note("fifty turns at once, that talk");
    const clocks = await play(server.url, db, {
      count: bench.pick(SLOTS, 2),
      prompt: "clock",
      isTogether: true,
    });
    const lags = await lagsOf(db, clocks.ids);
    await server.stop();
    const first = toRow("start_session to the agent's first event", firsts);
    const lag = toRow(`${clocks.ids.length} turns at once: event lag`, lags);
    const bar = (atMost: number) => bench.isShort ? {} : { bar: { atMost } };
    return [{
      title: "Sessions of the runtime command, one runner",
      rows: [first, lag],
      figures: [
        {
          label: "first event, p50",
          value: first.p50,
          unit: "ms",
          ...bar(FIRST_EVENT_BAR_MS),
        },
        {
          label: "event lag, p99",
          value: lag.p99,
          unit: "ms",
          ...bar(LAG_BAR_MS),
        },
        {
          label: `turns, ${many.ids.length} at once`,
          value: many.ids.length / many.tookMs * 1_000,
          unit: "/s",
        },
      ],
    }];
  },
};

async function openRunner(
  { db, env }: Stage,
  server: string,
): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "rc-bench-runner-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const { token } = await db.transaction((tx) => insertRunner(tx, "bench"));
  await Deno.writeTextFile(`${folder}/token`, `${token}\n`, { mode: 0o600 });
  const words = [
    "runner",
    ...["--server", server, "--folder", folder],
    ...["--token-file", `${folder}/token`, "--slots", String(SLOTS)],
  ];
  const child = new Deno.Command(Deno.execPath(), {
    args: [...programArguments(mainFolder("main.ts"), words, "runner")],
    env: {
      ...env,
      DATABASE_URL: "",
      RUNNER_COMMAND: JSON.stringify(["/bin/sh", "-c", AGENT]),
      LOG_LEVEL: "error",
    },
    stdin: "null",
    stdout: "null",
  }).spawn();
  stack.defer(async () => {
    child.kill("SIGTERM");
    await child.status;
  });
  const owned = stack.move();
  return { [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Starts sessions, and waits until all of them have had their turn. */
async function play(
  url: string,
  db: Db,
  { count, prompt, isTogether }: {
    readonly count: number;
    readonly prompt: string;
    readonly isTogether: boolean;
  },
): Promise<{ readonly ids: readonly number[]; readonly tookMs: number }> {
  const began = performance.now();
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    ids.push(await startSession(url, prompt));
    if (!isTogether) await ended(db, ids);
  }
  await ended(db, ids);
  return { ids, tookMs: performance.now() - began };
}

async function startSession(url: string, prompt: string): Promise<number> {
  const response = await fetch(`${url}?tool_groups=sessions`, {
    method: "POST",
    headers: {
      "x-api-key": KEY,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "start_session",
        arguments: {
          agent_root: "records",
          agent_runtime: "command",
          scheduling_class: "priority",
          prompt,
        },
      },
    }),
  });
  const { result } = await response.json();
  if (result?.isError !== false && result?.structuredContent === undefined) {
    throw new Error(`No session: ${JSON.stringify(result)}`);
  }
  return Number(result.structuredContent.session_id);
}

async function ended(db: Db, ids: readonly number[]): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const [row] = await db.read<{ n: number }>(
      `select count(*)::int as n from turns where outcome = 'done'
       and session_id = any(array(select jsonb_array_elements_text($1::text::jsonb)::bigint))`,
      [JSON.stringify(ids)],
    );
    if (row?.n === ids.length) return;
    if (performance.now() > deadline) {
      throw new Error(`${row?.n} of ${ids.length} turns are done`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function firstEvents(
  db: Db,
  ids: readonly number[],
): Promise<readonly number[]> {
  const rows = await db.read<{ ms: number }>(
    `select extract(epoch from min(e.at) - t.queued_at)::float8 * 1000 as ms
     from turns t join turn_events e on e.turn_id = t.id and e.kind = 'text'
     where t.session_id = any(array(select jsonb_array_elements_text($1::text::jsonb)::bigint))
     group by t.id`,
    [JSON.stringify(ids)],
  );
  return rows.map(({ ms }) => ms);
}

async function lagsOf(
  db: Db,
  ids: readonly number[],
): Promise<readonly number[]> {
  const rows = await db.read<{ ms: number }>(
    `select extract(epoch from e.at)::float8 * 1000 - e.text::float8 as ms
     from turn_events e where e.kind = 'text' and e.text ~ '^[0-9]{13}$'
       and e.session_id = any(array(select jsonb_array_elements_text($1::text::jsonb)::bigint))`,
    [JSON.stringify(ids)],
  );
  return rows.map(({ ms }) => ms);
}
