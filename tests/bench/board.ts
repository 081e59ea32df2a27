/**
 * The board with 500 live sessions: how fast it is there, what an update costs,
 * and what 200 boards cost while nothing happens.
 *
 * @module
 */
import process from "node:process";
import { updateTitle } from "../../fleet/actions/edits.ts";
import { UNRESTRICTED } from "../../fleet/caller.ts";
import { HAS_BROWSER, openBrowser } from "../support/browser.ts";
import { openEndpoint, type TestEndpoint } from "../support/endpoint.ts";
import { signIn } from "../support/pages.ts";
import {
  type Bench,
  type Benchmark,
  type Figure,
  type Row,
  toRow,
} from "./benchmark.ts";
import type { Stage } from "./stage.ts";

const PAINT_BAR_MS = 300;
const UPDATE_BAR_BYTES = 2_000;
/** Of one core. */
const IDLE_BAR = 0.05;

const SESSIONS = `
  insert into sessions (agent_root_key, title, status, wait_reason, driven_by,
    agent_runtime, genesis, favorited, failure_reason, state_since)
  select 'root_' || n % 10, 'Fix the ' || (array['login','search','queue'])[1 + n % 3]
      || ' of part ' || n || ', which a customer reported', state,
    case when state = 'waiting' then 'queued' end, 'runner', 'claude_code', 'web_ui',
    n % 20 = 0, case when state = 'failed' then repeat('It broke. ', 15) end,
    now() - n * interval '1 minute'
  from (select n, (array['running','waiting','needs_input','failed'])[1 + n % 4] as state
    from generate_series(1, $1::int) n) made`;

/** The benchmark. */
export const board: Benchmark = {
  name: "board",
  summary:
    "a board of 500 live sessions, and 200 of them while nothing happens",
  missing: HAS_BROWSER ? undefined : "Debian's chromium and npm are needed",
  async run(bench) {
    const stage = await bench.stage();
    const count = bench.pick(500, 20);
    await stage.db.write(SESSIONS, [count]);
    await stage.db.write("vacuum analyze sessions");
    await using site = await openBoard(stage);
    const [answer, paint] = await paints(bench, site);
    return [{
      title: `a board of ${count} live sessions`,
      rows: [answer, paint],
      figures: [
        {
          label: "p50 of the first paint, in Chromium",
          value: paint.p50,
          unit: "ms",
          bar: { atMost: PAINT_BAR_MS },
        },
        await update(site, stage),
        await idle(bench, site),
      ],
    }];
  },
};

interface BoardSite extends AsyncDisposable {
  readonly endpoint: TestEndpoint;
  readonly origin: string;
  readonly cookie: string;
}

async function openBoard({ db, target }: Stage): Promise<BoardSite> {
  const stack = new AsyncDisposableStack();
  const endpoint = stack.use(
    await openEndpoint({
      allowedHosts: ["127.0.0.1", "localhost"],
      test: { db, target, [Symbol.asyncDispose]: () => Promise.resolve() },
    }),
  );
  const server = stack.use(Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => endpoint.handler.fetch(request),
  ));
  return {
    endpoint,
    origin: `http://127.0.0.1:${server.addr.port}`,
    cookie: await signIn(endpoint),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function paints(
  bench: Bench,
  { origin, cookie }: BoardSite,
): Promise<readonly [answer: Row, paint: Row]> {
  const answers: number[] = [];
  const painted: number[] = [];
  await using browser = await openBrowser();
  await using visitor = await browser.visit(origin, { width: 1_600 });
  await visitor.setCookie(origin, cookie);
  const { page } = visitor;
  for (let n = 0; n < bench.pick(25, 2); n++) {
    const began = performance.now();
    const response = await fetch(`${origin}/board`, { headers: { cookie } });
    if (!(await response.text()).includes('id="lane-needs"')) {
      throw new Error("That is no board");
    }
    answers.push(performance.now() - began);
    await page.goto(`${origin}/board`);
    painted.push(
      await page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime",
      ),
    );
  }
  const warm = bench.pick(5, 0);
  return [
    toRow("the whole answer", answers.slice(warm)),
    toRow("first contentful paint", painted.slice(warm)),
  ];
}

/** Bytes of the event that tells of the dearest session: a long title, failed. */
async function update(
  { endpoint, origin, cookie }: BoardSite,
  { db }: Stage,
): Promise<Figure> {
  const [failed] = await db.read<{ id: string }>(
    "select id from sessions where status = 'failed' order by id limit 1",
  );
  const response = await fetch(`${origin}/board/feed`, {
    headers: { cookie },
  });
  const reader = response.body?.getReader();
  const title = `${'A long title, with <signs> & "quotes" '.repeat(3)}`;
  await reader?.read();
  // The first look sees what there is, the next what is new.
  const told = (async () => {
    for (;;) {
      const { value } = await reader?.read() ?? {};
      const text = new TextDecoder().decode(value);
      if (text.includes("event: card")) return value?.length ?? NaN;
    }
  })();
  const change = setInterval(() => {
    void updateTitle(
      endpoint.services,
      UNRESTRICTED,
      Number(failed?.id),
      `${title}${Date.now()}`.slice(-100),
    );
  }, 1_500);
  const value = await told;
  clearInterval(change);
  await reader?.cancel();
  return {
    label: "bytes of an update of one session",
    value,
    unit: "bytes",
    bar: { atMost: UPDATE_BAR_BYTES },
  };
}

/** What open boards cost this process, both ends of their streams together. */
async function idle(
  bench: Bench,
  { origin, cookie }: BoardSite,
): Promise<Figure> {
  const boards = bench.pick(200, 5);
  const ms = bench.pick(20_000, 200);
  const streams = await Promise.all(
    Array.from(
      { length: boards },
      () => fetch(`${origin}/board/feed`, { headers: { cookie } }),
    ),
  );
  const readers = streams.map(({ body }) => body?.getReader());
  const reading = readers.map(async (reader) => {
    while ((await reader?.read())?.done === false);
  });
  bench.note(`${boards} boards, while nothing happens`);
  await new Promise((resolve) => setTimeout(resolve, bench.pick(3_000, 50)));
  const before = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, ms));
  const { user, system } = process.cpuUsage(before);
  for (const reader of readers) await reader?.cancel();
  await Promise.all(reading);
  return {
    label: `CPU of ${boards} boards while nothing happens, of one core`,
    value: (user + system) / 1_000 / ms,
    unit: "of 1",
    bar: { atMost: IDLE_BAR },
  };
}
