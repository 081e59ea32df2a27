import { deepEqual, equal, ok } from "node:assert/strict";
import { parkSession, sweepFleet, UNRESTRICTED } from "../../fleet/mod.ts";
import { ServerClient } from "../../runner/server/client.ts";
import type { Row } from "../../store/pg/mod.ts";
import { recordLogin, writeSpotSettings } from "../../store/spot/mod.ts";
import { HEADS_STATEMENT } from "../../store/turns/pick.ts";
import { insertRunner } from "../../store/turns/mod.ts";
import { openTurnBench, type TurnBench } from "../support/turns.ts";
import { closeTurn, leaseRequest } from "../support/turn_calls.ts";

/** Turns the gate on, at 80 percent of five hours. */
async function gate(bench: TurnBench, maxConcurrent = 10): Promise<void> {
  await writeSpotSettings(bench.endpoint.test.db, {
    isGating: true,
    fiveHourPct: 80,
    maxConcurrent,
  });
}

/** So much of the five hours is used. */
async function use(bench: TurnBench, utilization: number): Promise<void> {
  await recordLogin(bench.endpoint.test.db, {
    runtime: "claude_code",
    account: "a",
    windows: [{ name: "five_hour", utilization, resetsInMs: 3_600_000 }],
    rejectedForMs: null,
  });
}

async function makePriority(bench: TurnBench, id: number): Promise<void> {
  await bench.rows(
    "update sessions set scheduling_class = 'priority' where id = $1",
    [id],
  );
}

/** Which session the next lease takes; undefined for none. */
async function next(bench: TurnBench): Promise<number | undefined> {
  const held = await bench.rows(
    "select id from turns where phase in ('leased', 'spawned', 'delivered')",
  );
  const { turn } = await bench.client.lease(leaseRequest({
    turns_here: held.map(({ id }) => Number(id)),
  }));
  return turn?.session_id;
}

Deno.test("the gate holds spot sessions and no others", async () => {
  await using bench = await openTurnBench();
  const spot = await bench.start("spot");
  const priority = await bench.start("priority");
  await makePriority(bench, priority);
  await gate(bench);
  await use(bench, 0.8);
  deepEqual([await next(bench), await next(bench)], [priority, undefined]);
  equal((await bench.session(spot)).status, "waiting");
  await use(bench, 0.79);
  equal(await next(bench), spot);
});

Deno.test("priority goes before spot, then the higher place, then the older", async () => {
  await using bench = await openTurnBench();
  const ids: number[] = [];
  for (const name of ["a", "b", "c", "d"]) ids.push(await bench.start(name));
  const [a, b, c, d] = ids;
  await makePriority(bench, Number(d));
  await bench.rows("update sessions set precedence = 7 where id = $1", [c]);
  const order = [];
  for (let n = 0; n < 4; n++) order.push(await next(bench));
  deepEqual(order, [d, c, a, b]);
});

Deno.test("every running session counts towards the ceiling, and of many leases at once none goes beyond it", async () => {
  await using bench = await openTurnBench();
  const { db } = bench.endpoint.test;
  const first = await bench.start("runs already");
  await makePriority(bench, first);
  equal(await next(bench), first);
  await gate(bench, 3);
  for (let n = 0; n < 6; n++) await bench.start(`${n}`);
  const clients = [];
  for (let n = 0; n < 6; n++) {
    const { token } = await db.transaction((tx) => insertRunner(tx, `r${n}`));
    clients.push(new ServerClient({ server: bench.url, token }));
  }
  const answers = await Promise.all(
    clients.map((client) => client.lease(leaseRequest())),
  );
  equal(answers.filter(({ turn }) => turn !== null).length, 2);
  const urgent = await bench.start("urgent");
  await makePriority(bench, urgent);
  equal(await next(bench), urgent);
  equal(await next(bench), undefined);
});

Deno.test("a gate that cannot be read lets pass", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("spot");
  await gate(bench);
  await use(bench, 1);
  equal(await next(bench), undefined);
  await bench.rows(
    `update logins set limits = '{"five_hour": {"resets_at": "no time"}}'`,
  );
  equal(await next(bench), id);
});

Deno.test("what is held says so and goes on five points below, or once it is a priority session", async () => {
  await using bench = await openTurnBench();
  const { db } = bench.endpoint.test;
  const [held, urgent] = [await bench.start("held"), await bench.start("u")];
  await gate(bench);
  await use(bench, 0.9);
  await sweepFleet(db);
  const reasons = async () => [
    (await bench.session(held)).waitReason,
    (await bench.session(urgent)).waitReason,
  ];
  deepEqual(await reasons(), ["spot_hold", "spot_hold"]);
  await makePriority(bench, urgent);
  equal(await next(bench), urgent);
  // Below the target, but not by five points: the held one waits, a new one does not.
  await use(bench, 0.77);
  await sweepFleet(db);
  equal((await bench.session(held)).waitReason, "spot_hold");
  equal(await next(bench), undefined);
  const fresh = await bench.start("fresh");
  equal(await next(bench), fresh);
  await use(bench, 0.74);
  await sweepFleet(db);
  equal((await bench.session(held)).waitReason, "queued");
  equal(await next(bench), held);
  const logs = await bench.rows(
    "select content from session_logs where session_id = $1 and content like '%spot gate%' order by id",
    [held],
  );
  deepEqual(logs.map(({ content }) => content), [
    "Held by the spot gate (at_utilization_limit); get_spot_policy shows its figures",
    "The spot gate lets it go on (within_limits)",
  ]);
});

Deno.test("at the ceiling what waits is paused, and free once there is room", async () => {
  await using bench = await openTurnBench();
  const { db } = bench.endpoint.test;
  const running = await bench.start("runs");
  const { turn } = await bench.client.lease(leaseRequest());
  equal(turn?.session_id, running);
  const id = await bench.start("waits");
  await gate(bench, 1);
  await sweepFleet(db);
  equal((await bench.session(id)).waitReason, "spot_pause");
  await closeTurn(bench, turn);
  await sweepFleet(db);
  equal((await bench.session(id)).waitReason, "queued");
});

Deno.test("parked sessions are taken up by the clock, the highest first and as many as there is room for", async () => {
  await using bench = await openTurnBench();
  const { db } = bench.endpoint.test;
  const ids: number[] = [];
  for (const name of ["low", "high"]) {
    const id = await bench.start(name);
    const { turn } = await bench.client.lease(leaseRequest());
    await closeTurn(bench, turn);
    ids.push(id);
    await parkSession(bench.endpoint.services, UNRESTRICTED, id, {
      prompt: `go on, ${name}`,
    });
  }
  const [low = 0, high = 0] = ids;
  await bench.rows("update sessions set precedence = 9 where id = $1", [high]);
  await gate(bench, 1);
  await use(bench, 0.76);
  equal((await sweepFleet(db)).resumed, 0);
  await use(bench, 0.74);
  equal((await sweepFleet(db)).resumed, 1);
  equal((await bench.session(high)).waitReason, "queued");
  equal((await bench.session(low)).waitReason, "spot_queue");
  const { turn } = await bench.client.lease(leaseRequest());
  deepEqual([turn?.session_id, turn?.prompt], [high, "go on, high"]);
  equal((await sweepFleet(db)).resumed, 0);
});

Deno.test("the head of the line is found by the index, whatever waits behind it", async () => {
  await using bench = await openTurnBench();
  await bench.rows(
    `insert into sessions (title, status, wait_reason, driven_by, agent_runtime, genesis, precedence)
     select 's', 'waiting', 'queued', 'runner', 'command',
       case when n % 2 = 0 then 'api' else 'web_ui' end, n % 50
     from generate_series(1, 20000) n`,
  );
  await bench.rows(
    "insert into turns (session_id, ordinal, kind, prompt) select id, 1, 'start', 'x' from sessions",
  );
  await bench.rows("analyze sessions, turns");
  const ranges = ["web_ui", "priority", "api", "spot"].map((name, n) => ({
    name,
    is_spot: n > 1,
    is_held: false,
    runtime: "command",
  }));
  const rows = await bench.endpoint.test.db.read<Row>(
    `explain (analyze, format json) ${HEADS_STATEMENT}`,
    [bench.runnerId, 600, JSON.stringify(ranges)],
  );
  const nodes = nodesOf(rows[0]?.["QUERY PLAN"]);
  const scans = nodes.filter((node) => node["Relation Name"] === "sessions");
  ok(scans.length > 0);
  for (const scan of scans) {
    equal(scan["Index Name"], "sessions_to_lease");
    ok(Number(scan["Actual Rows"]) <= 2, "no more than the head is read");
  }
});

/** All nodes of a plan. */
function nodesOf(plan: unknown): Record<string, unknown>[] {
  if (Array.isArray(plan)) return plan.flatMap(nodesOf);
  if (typeof plan !== "object" || plan === null) return [];
  const node = { ...plan } as Record<string, unknown>;
  return [node, ...nodesOf(node.Plan), ...nodesOf(node.Plans)];
}
