import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { LeaseLostError } from "../../runner/server/client.ts";
import { shell } from "../../runner/testdata/test_runner.ts";
import { HAS_SWEEP } from "../../runner/process/marker.ts";
import { orderTurn } from "../../store/sessions/mod.ts";
import type { LeaseRequest } from "../../fleet/turns/protocol.ts";
import { changeGoal } from "../../fleet/actions/edits.ts";
import { UNRESTRICTED } from "../../fleet/caller.ts";
import { fleetOf } from "../../mcp/mod.ts";
import { closeTurn, leaseRequest } from "../support/turn_calls.ts";
import { openTurnBench, type TurnBench } from "../support/turns.ts";

const ignore = !HAS_SWEEP;

async function turnsOf(bench: TurnBench, session: number) {
  return await bench.rows(
    "select * from turns where session_id = $1 order by ordinal",
    [session],
  );
}

/** Text events of a session, in order. */
async function said(bench: TurnBench, session: number): Promise<unknown[]> {
  const rows = await bench.rows(
    `select e.text from turn_events e where e.session_id = $1 and e.kind = 'text'
     order by e.turn_id, e.seq`,
    [session],
  );
  return rows.map(({ text }) => text);
}

/** A request for a turn, as a runner sends it. */
const request = (given: Partial<LeaseRequest> = {}) =>
  leaseRequest({ runtimes: ["command"], ...given });

Deno.test({
  name:
    "a started session runs, rests, and runs again for what was said meanwhile, each message once and in order",
  ignore,
  async fn() {
    await using bench = await openTurnBench();
    const id = await bench.start("first");
    await bench.tell(id, "second");
    await bench.tell(id, "third");
    await using _runner = await bench.run(shell("cat; echo"));
    const session = await bench.until(
      id,
      (one) => one.status === "needs_input",
    );
    deepEqual(await said(bench, id), ["first", "second", "third"]);
    equal(session.leaseNo, 3);
    equal(session.homeRunnerId, bench.runnerId);
    deepEqual(
      (await turnsOf(bench, id)).map((
        { kind, outcome, phase },
      ) => [kind, outcome, phase]),
      [
        ["start", "done", "ended"],
        ["message", "done", "ended"],
        ["message", "done", "ended"],
      ],
    );
    deepEqual(await bench.rows("select 1 from enqueued_messages"), []);
  },
});

Deno.test({
  name:
    "an agent's token is the session while its turn lasts, and nothing after it",
  ignore,
  async fn() {
    await using bench = await openTurnBench();
    const id = await bench.start("x");
    const { turn } = await bench.client.lease(request());
    const token = String(turn?.token);
    const put = async () =>
      await bench.endpoint.fetch(String(turn?.mcp_path), {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "put_root_record",
            arguments: { collection: "free", key: "k", data: { by: id } },
          },
        }),
      });
    const written = await put();
    equal(written.status, 200);
    ok(!(await written.text()).includes('"isError":true'));
    await bench.client.release(Number(turn?.turn_id), {
      lease_no: Number(turn?.lease_no),
      detail: "over",
    });
    const refused = await put();
    equal(refused.status, 401);
    await refused.body?.cancel();
  },
});

Deno.test("the same request gets the same turn and token, another one none", async () => {
  await using bench = await openTurnBench();
  await bench.start("x");
  const first = request();
  const [one, two] = [
    await bench.client.lease(first),
    await bench.client.lease(first),
  ];
  deepEqual(one, two);
  ok(one.turn !== null);
  const other = await bench.client.lease(
    request({ turns_here: [one.turn.turn_id] }),
  );
  equal(other.turn, null);
});

Deno.test("a request that was asked again gets what its lost connection was given, at once", async () => {
  await using bench = await openTurnBench({
    turnDurations: { poll_ms: 600_000 },
  });
  const asked = request({ wait_ms: 600_000 });
  const signal = AbortSignal.timeout(60_000);
  // As a server holds them whose runner has gone, and come again.
  const both = [
    bench.client.lease(asked, { signal }),
    bench.client.lease(asked, { signal }),
  ];
  await bench.start("x");
  const [one, two] = await Promise.all(both);
  ok(one?.turn !== null);
  deepEqual(one, two);
});

Deno.test("[behaviour 5] fifty requests at once get each turn once", async () => {
  await using bench = await openTurnBench();
  const ids: number[] = [];
  for (let n = 0; n < 10; n++) ids.push(await bench.start(`${n}`));
  // As if of one runner that never names what it has: leased ones are not old.
  const requests = Array.from({ length: 50 }, () => request());
  const answers = await Promise.all(
    requests.map((one) => bench.client.lease({ ...one, turns_here: [] })),
  );
  const leased = await bench.rows(
    "select session_id, count(*)::int as n from turns where phase = 'leased' group by 1",
  );
  ok(answers.filter(({ turn }) => turn !== null).length >= 10);
  ok(leased.every(({ n }) => n === 1));
});

Deno.test("[behaviour 8] a stale lease changes nothing, by whatever call", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("x");
  const { turn } = await bench.client.lease(request());
  const turnId = Number(turn?.turn_id);
  const lease_no = Number(turn?.lease_no) + 1;
  const before = await turnsOf(bench, id);
  const calls = [
    () =>
      bench.client.beat(turnId, {
        lease_no,
        phase: "delivered",
        process: null,
        last_seq: 0,
        conversation_id: "c",
      }),
    () =>
      bench.client.events(turnId, {
        lease_no,
        first_seq: 1,
        events: [{
          seq: 1,
          after_ms: 0,
          kind: "text",
          payload: { text: "no" },
        }],
      }),
    () => bench.client.release(turnId, { lease_no, detail: "no" }),
    () => bench.client.commands(turnId, { leaseNo: lease_no, waitMs: 0 }),
  ];
  for (const call of calls) await rejects(call, LeaseLostError);
  deepEqual(await turnsOf(bench, id), before);
  deepEqual(await said(bench, id), []);
});

Deno.test("events are kept once by their numbers, a gap is answered with what is expected, NUL is stored as a mark", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("x");
  const { turn } = await bench.client.lease(request());
  const turnId = Number(turn?.turn_id);
  const event = (seq: number, text: string) => ({
    seq,
    after_ms: 1,
    kind: "text" as const,
    payload: { text },
  });
  const send = (first_seq: number, ...events: ReturnType<typeof event>[]) =>
    bench.client.events(turnId, { lease_no: 1, first_seq, events });
  equal((await send(1, event(1, "a\u0000"), event(2, "b"))).next_seq, 3);
  equal(
    (await send(1, event(1, "a"), event(2, "b"), event(3, "c"))).next_seq,
    4,
  );
  equal((await send(9, event(9, "z"))).next_seq, 4);
  deepEqual(await said(bench, id), ["a\ufffd", "b", "c"]);
});

Deno.test("[behaviour 7] a turn that breaks before its message was delivered puts it back; after that a recovery names the cause", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("task");
  const lose = async (isDelivered: boolean) => {
    const { turn } = await bench.client.lease(request());
    const turnId = Number(turn?.turn_id);
    const lease_no = Number(turn?.lease_no);
    const kinds = isDelivered
      ? ["spawned", "delivered"] as const
      : ["spawned"] as const;
    await bench.client.events(turnId, {
      lease_no,
      first_seq: 1,
      events: kinds.map((kind, n) => ({
        seq: n + 1,
        after_ms: 0,
        kind,
        payload: {},
      })),
    });
    await bench.client.release(turnId, { lease_no, detail: "The power went" });
    return turn;
  };
  deepEqual([(await lose(false))?.kind], ["start"]);
  const again = await lose(true);
  deepEqual([again?.kind, again?.prompt, again?.cause], [
    "start",
    "task",
    null,
  ]);
  const third = await bench.client.lease(request());
  deepEqual([third.turn?.kind, third.turn?.prompt], ["recovery", "task"]);
  match(String(third.turn?.cause), /broken off: lost: The power went/);
  equal((await bench.session(id)).status, "running");
});

Deno.test("[behaviour 18] a goal that was changed is told with the next message, once, and again where it was not delivered", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("begin", "command", { goal: "ripe" });
  const fleet = fleetOf(bench.endpoint.services);
  const prompts: string[] = [];
  const turn = async ({ isDelivered = true } = {}) => {
    const { turn } = await bench.client.lease(leaseRequest());
    prompts.push(String(turn?.prompt));
    if (isDelivered) return await closeTurn(bench, turn);
    const { turn_id = 0, lease_no = 0 } = turn ?? {};
    await bench.client.release(turn_id, { lease_no, detail: "gone" });
  };
  await turn();
  await bench.tell(id, "one");
  await turn();
  await changeGoal(fleet, UNRESTRICTED, id, "Be dry");
  await bench.tell(id, "two");
  await turn({ isDelivered: false });
  await turn();
  await bench.tell(id, "three");
  await turn();
  await changeGoal(fleet, UNRESTRICTED, id, "");
  await bench.tell(id, "four");
  await turn();
  deepEqual(prompts, [
    "begin",
    "one",
    "two\n\nYour goal from now on: Be dry",
    "two\n\nYour goal from now on: Be dry",
    "three",
    "four\n\nYou have no goal any more.",
  ]);
});

Deno.test("after three attempts the session has failed, and says why", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("task");
  for (let n = 0; n < 4; n++) {
    const { turn } = await bench.client.lease(request({ wait_ms: 1_000 }));
    await bench.client.release(Number(turn?.turn_id), {
      lease_no: Number(turn?.lease_no),
      detail: "again",
    });
  }
  const session = await bench.session(id);
  equal(session.status, "failed");
  match(String(session.failureReason), /lost: again/);
});

Deno.test("[behaviour 1] a lease that runs out is found by any server, and its turn offered again", async () => {
  await using bench = await openTurnBench({ turnDurations: { lease_ms: 300 } });
  const id = await bench.start("task");
  await bench.client.lease(request());
  equal((await bench.session(id)).status, "running");
  const session = await bench.until(id, (one) => one.status === "waiting");
  equal(session.waitReason, "retrying");
});

Deno.test({
  name:
    "[behaviour 3] a parked turn waits without an attempt, its message kept",
  ignore,
  async fn() {
    await using bench = await openTurnBench();
    const id = await bench.start("task");
    await using _runner = await bench.run(shell("exit 75"));
    const session = await bench.until(id, (one) => one.waitReason === "parked");
    ok(Number(session.waitUntil?.getTime()) > Date.now() + 30_000);
    const [, next] = await turnsOf(bench, id);
    deepEqual([next?.kind, next?.attempt, next?.prompt], [
      "recovery",
      1,
      "task",
    ]);
  },
});

Deno.test({
  name:
    "[behaviour 9] an interrupt is heard at once, its receipt says how, and the next message starts",
  ignore,
  async fn() {
    await using bench = await openTurnBench();
    const id = await bench.start("hang");
    await using _runner = await bench.run(shell(
      `read word; echo "$word"; [ "$word" = hang ] && exec sleep 60; exit 0`,
    ));
    const deadline = performance.now() + 120_000;
    while ((await said(bench, id)).length === 0) {
      ok(performance.now() < deadline);
    }
    await bench.tell(id, "next\n");
    const [turn] = await turnsOf(bench, id);
    await bench.endpoint.test.db.transaction((tx) =>
      orderTurn(tx, Number(turn?.id), { kind: "interrupt", reason: "test" })
    );
    await bench.until(id, (one) => one.status === "needs_input");
    deepEqual(await said(bench, id), ["hang", "next"]);
    const [command] = await bench.rows("select result from turn_commands");
    match(String(command?.result), /stopped when asked after \d+ ms/);
  },
});

Deno.test({
  name:
    "[behaviour 23] a limit parks the whole login: no other turn of it is leased",
  ignore,
  async fn() {
    await using bench = await openTurnBench();
    await bench.start("a");
    await bench.start("b");
    const { turn } = await bench.client.lease(request());
    const answer = await bench.client.end(Number(turn?.turn_id), {
      lease_no: Number(turn?.lease_no),
      final_seq: 0,
      outcome: "parked",
      class: "usage_limit",
      detail: "Five hours are used up",
      parked_ms: 600_000,
      conversation_id: null,
      usage: [],
      git: null,
      killed_leftovers: 0,
      commands: [],
      limits: {
        windows: [{ name: "five_hour", utilization: 1, resets_in_ms: 600_000 }],
        rejected_for_ms: 600_000,
      },
    });
    equal(answer.next, "parked");
    equal((await bench.client.lease(request())).turn, null);
  },
});

Deno.test("an end is answered once: the same again gets the same receipt, one with missing events is refused", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("x");
  const { turn } = await bench.client.lease(request());
  const end = {
    lease_no: Number(turn?.lease_no),
    final_seq: 0,
    outcome: "done" as const,
    class: null,
    detail: "",
    parked_ms: null,
    conversation_id: "c-1",
    usage: [{
      request_key: "k",
      model: "m",
      input_tokens: 3,
      output_tokens: 2,
      cache_read_tokens: null,
      cache_write_tokens: null,
      reported_usd: null,
      is_partial: false,
    }],
    git: null,
    killed_leftovers: 0,
    commands: [],
    limits: null,
  };
  const turnId = Number(turn?.turn_id);
  await rejects(bench.client.end(turnId, { ...end, final_seq: 4 }));
  equal((await bench.session(id)).status, "running");
  const first = await bench.client.end(turnId, end);
  deepEqual(await bench.client.end(turnId, end), first);
  equal((await bench.session(id)).conversationId, "c-1");
  deepEqual(
    await bench.rows(
      "select input_tokens::int, output_tokens::int from session_token_usages",
    ),
    [{ input_tokens: 3, output_tokens: 2 }],
  );
});

Deno.test("a runner's token opens its protocol and nothing else, and nothing else opens that", async () => {
  await using bench = await openTurnBench();
  const post = (path: string, token: string) =>
    bench.endpoint.fetch(path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      body: "{}",
    });
  const [row] = await bench.rows("select id from runners");
  equal(row !== undefined, true);
  for (const token of ["test-key", "rcn_1_wrong", "rcs_1_x"]) {
    const answer = await post("/api/v1/runner/lease", token);
    equal(answer.status, 401);
    await answer.body?.cancel();
  }
  const own = bench.client;
  const bad = await rejects(
    own.lease({ ...request(), slots: -1 }),
    /slots/,
  );
  equal(bad, undefined);
});

Deno.test("beats say whether the agent has called the MCP endpoint with its turn's token; other calls with it do not count", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("x");
  const { turn } = await bench.client.lease(request());
  const hasCalled = async () =>
    (await bench.client.beat(Number(turn?.turn_id), {
      lease_no: Number(turn?.lease_no),
      phase: "leased",
      process: null,
      last_seq: 0,
      conversation_id: null,
    })).has_called_mcp;
  const call = async (path: string, init: RequestInit, token = turn?.token) => {
    const answer = await bench.endpoint.fetch(path, {
      ...init,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
    });
    await answer.body?.cancel();
    return answer.status;
  };
  const list = {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  };
  equal(await hasCalled(), false);
  // Known by its token, and refused there.
  equal(await call(`/api/v1/sessions/${id}`, {}), 403);
  equal(await call(String(turn?.mcp_path), list, `${turn?.token}x`), 401);
  equal(await hasCalled(), false);
  equal(await call(String(turn?.mcp_path), list), 200);
  equal(await hasCalled(), true);
});
