/**
 * Status summaries: made by a turn beside the session's own, which changes
 * neither its state nor its transcript.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { regenerateSummary } from "../../fleet/actions/copies.ts";
import { UNRESTRICTED } from "../../fleet/caller.ts";
import { HAS_SWEEP } from "../../runner/process/marker.ts";
import { shell } from "../../runner/testdata/test_runner.ts";
import { leaseRequest } from "../support/turn_calls.ts";
import { openTurnBench, type TurnBench } from "../support/turns.ts";

const ignore = !HAS_SWEEP;

/** Sums up when it is asked to; works until a file is there, else. */
const AGENT = shell(
  `read -r line; case "$line" in
    "Sum up"*) echo "Tulips are planted;"; echo "roses wait."; cat > /dev/null;;
    *) echo "$line"; while [ ! -e "$line" ]; do sleep 0.02; done;; esac`,
);

async function ask(bench: TurnBench, id: number) {
  return await regenerateSummary(bench.endpoint.services, UNRESTRICTED, id);
}

async function summaryOf(bench: TurnBench, id: number) {
  const [row] = await bench.rows(
    "select * from session_status_summaries where session_id = $1",
    [id],
  );
  return row;
}

/** What a summary must not change of its session. */
async function standing(bench: TurnBench, id: number) {
  return await bench.rows(
    `select s.status, s.wait_reason, s.lease_no, s.home_runner_id, s.conversation_id,
       s.state_since, (select count(*) from turn_events e where e.session_id = s.id) as events
     from sessions s where s.id = $1`,
    [id],
  );
}

async function untilSummary(bench: TurnBench, id: number, state: string) {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const summary = await summaryOf(bench, id);
    if (summary?.state === state) return summary;
    ok(performance.now() < deadline, `never ${state}: ${summary?.state}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A session that rests after one turn. */
async function resting(bench: TurnBench, flag: string): Promise<number> {
  await Deno.writeTextFile(flag, "");
  const id = await bench.start(flag);
  await bench.until(id, (one) => one.status === "needs_input");
  return id;
}

/** A runner's request; it knows all turns that it was given. */
function askAs(name: string) {
  const turns_here = Array.from({ length: 20 }, (_, n) => n + 1);
  return leaseRequest({ runtimes: ["command"], request_id: name, turns_here });
}

Deno.test({
  name:
    "a summary that is asked for is made by a runner, and the session stays as it is",
  ignore,
  async fn() {
    await using bench = await openTurnBench();
    await using runner = await bench.run(AGENT);
    const id = await resting(bench, `${runner.folder}/flag`);
    const before = await standing(bench, id);
    equal(await ask(bench, id), "queued");
    const summary = await untilSummary(bench, id, "ready");
    equal(summary?.summary, "Tulips are planted;\nroses wait.");
    equal(summary?.error, null);
    equal(
      Number(summary?.transcript_event_count),
      Number(before[0]?.events),
    );
    deepEqual(await standing(bench, id), before);
    const folders = Deno.readDir(`${runner.folder}/sessions`);
    deepEqual((await Array.fromAsync(folders)).map(({ name }) => name), [
      `session-${id}`,
    ]);
    // What is said next is a turn as ever.
    await bench.tell(id, `${runner.folder}/flag`);
    await bench.until(
      id,
      (one) => one.leaseNo === 2 && one.status === "needs_input",
    );
  },
});

Deno.test({
  name: "a session that works is summed up beside its work, which goes on",
  ignore,
  async fn() {
    await using bench = await openTurnBench();
    await using runner = await bench.run(AGENT);
    const flag = `${runner.folder}/flag`;
    const id = await bench.start(flag);
    const deadline = performance.now() + 120_000;
    while (Number((await standing(bench, id))[0]?.events) < 3) {
      ok(performance.now() < deadline);
    }
    const before = await standing(bench, id);
    await ask(bench, id);
    await untilSummary(bench, id, "ready");
    deepEqual(await standing(bench, id), before);
    await Deno.writeTextFile(flag, "");
    await bench.until(id, (one) => one.status === "needs_input");
    const turns = await bench.rows(
      "select kind, outcome from turns where session_id = $1 order by ordinal",
      [id],
    );
    deepEqual(turns, [
      { kind: "start", outcome: "done" },
      { kind: "summary", outcome: "done" },
    ]);
  },
});

Deno.test({
  name:
    "a summary that does not come says why, and the last one stays until there is another",
  ignore,
  async fn() {
    await using bench = await openTurnBench();
    const first = await bench.run(AGENT);
    const id = await resting(bench, `${first.folder}/flag`);
    await ask(bench, id);
    await untilSummary(bench, id, "ready");
    await first[Symbol.asyncDispose]();
    const before = await standing(bench, id);
    await ask(bench, id);
    await using _second = await bench.run(shell("exit 3"));
    const failed = await untilSummary(bench, id, "failed");
    equal(failed?.summary, "Tulips are planted;\nroses wait.");
    match(String(failed?.error), /^agent_error: .* exit code 3/);
    deepEqual(await standing(bench, id), before);
  },
});

Deno.test("a summary's turn reads, begins a conversation in an empty folder, and gives way to work", async () => {
  await using bench = await openTurnBench();
  const { client } = bench;
  const request = (name: string) => client.lease(askAs(name));
  const id = await bench.start("Plant the tulips");
  const { turn: work } = await request("a".repeat(43));
  const lease = { lease_no: Number(work?.lease_no) };
  const event = (seq: number, text: string) => ({
    seq,
    after_ms: 0,
    kind: "text" as const,
    payload: { text },
  });
  await client.events(Number(work?.turn_id), {
    ...lease,
    first_seq: 1,
    events: [event(1, 'I said "done"')],
  });
  equal(await ask(bench, id), "queued");
  equal(await ask(bench, id), "under_way");
  const other = await bench.start("Water the roses");
  const next = await request("b".repeat(43));
  equal(next.turn?.session_id, other);
  const { turn } = await request("c".repeat(43));
  deepEqual([turn?.kind, turn?.session_id, turn?.permission], [
    "summary",
    id,
    "read",
  ]);
  deepEqual([turn?.conversation_id, turn?.recap, turn?.skills], [null, "", []]);
  deepEqual(turn?.tree, {
    url: null,
    branch: null,
    subdirectory: null,
    fork: null,
  });
  match(
    String(turn?.prompt),
    /^Sum up[^]+\n\{"kind":"text","text":"I said \\"done\\""\}$/,
  );
  // The same request again is the same turn; both leases hold side by side.
  equal((await request("c".repeat(43))).turn?.turn_id, turn?.turn_id);
  await client.beat(Number(work?.turn_id), {
    ...lease,
    phase: "leased",
    process: null,
    last_seq: 1,
    conversation_id: null,
  });
  await client.release(Number(turn?.turn_id), {
    lease_no: Number(turn?.lease_no),
    detail: "The power went",
  });
  const summary = await summaryOf(bench, id);
  deepEqual([summary?.state, summary?.error], [
    "failed",
    "lost: The power went",
  ]);
});

Deno.test("a summary that nobody made in time is asked for anew, and made once", async () => {
  await using bench = await openTurnBench();
  const { client } = bench;
  const id = await bench.start("Plant the tulips");
  const lease = (name: string) => client.lease(askAs(name));
  const { turn } = await lease("a".repeat(43));
  await client.events(Number(turn?.turn_id), {
    lease_no: Number(turn?.lease_no),
    first_seq: 1,
    events: [{ seq: 1, after_ms: 0, kind: "spawned", payload: {} }],
  });
  await ask(bench, id);
  await bench.rows(
    "update turns set queued_at = now() - interval '16 minutes' where kind = 'summary'",
  );
  await bench.rows(
    "update session_status_summaries set requested_at = now() - interval '16 minutes'",
  );
  equal((await lease("b".repeat(43))).turn, null);
  equal(await ask(bench, id), "queued");
  equal((await lease("c".repeat(43))).turn?.kind, "summary");
  equal((await lease("d".repeat(43))).turn, null);
});
