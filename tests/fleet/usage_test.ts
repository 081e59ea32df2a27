import { deepEqual, equal, match, rejects } from "node:assert/strict";
import fc from "fast-check";
import type { UsageReport } from "../../fleet/turns/protocol.ts";
import { loseExpiredTurns } from "../../fleet/turns/lose.ts";
import { closeTurn, endRequest, leaseRequest } from "../support/turn_calls.ts";
import { openTurnBench, type TurnBench } from "../support/turns.ts";

function used(
  request_key: string,
  part: Partial<UsageReport> = {},
): UsageReport {
  return {
    request_key,
    model: "claude-opus-5",
    input_tokens: 10,
    output_tokens: 20,
    cache_read_tokens: null,
    cache_write_tokens: null,
    reported_usd: null,
    is_partial: false,
    ...part,
  };
}

/** Requests and tokens, by the ledger, its days and its totals: all the same. */
async function counted(bench: TurnBench): Promise<Record<string, unknown>> {
  const figures = async (table: string, requests: string) => {
    const [row] = await bench.rows(
      `select coalesce(sum(${requests}), 0)::int as requests,
         coalesce(sum(input_tokens), 0)::int as input,
         coalesce(sum(output_tokens), 0)::int as output from ${table}`,
    );
    return { ...row };
  };
  const ledger = await figures("session_token_usages", "1");
  deepEqual(await figures("token_usage_days", "requests"), ledger);
  deepEqual(await figures("token_usage_totals", "requests"), ledger);
  return ledger;
}

async function runtimeOf(
  bench: TurnBench,
  id: number,
  name: string,
): Promise<void> {
  await bench.rows("update sessions set agent_runtime = $2 where id = $1", [
    id,
    name,
  ]);
}

Deno.test("an end's use is counted whole: requests of no known model, and those that leave something out", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("x");
  const { turn } = await bench.client.lease(leaseRequest());
  await closeTurn(bench, turn, {
    usage: [
      used("a"),
      used("b", { model: null }),
      used("c\u0000", { input_tokens: null, is_partial: true }),
    ],
  });
  deepEqual(await counted(bench), { requests: 3, input: 20, output: 60 });
  const rows = await bench.rows(
    `select request_id, session_id::int, agent_root, model, is_partial
     from session_token_usages order by request_id`,
  );
  deepEqual(rows.map((row) => Object.values(row)), [
    ["a", id, "gardener", "claude-opus-5", false],
    ["b", id, "gardener", "unknown", false],
    ["c\ufffd", id, "gardener", "claude-opus-5", true],
  ]);
});

Deno.test("a turn that is given up is told of as unknown use, until its runner comes back with the figures", async () => {
  await using bench = await openTurnBench();
  const id = await bench.start("x");
  await runtimeOf(bench, id, "claude_code");
  const { turn } = await bench.client.lease(leaseRequest());
  const [turn_id, lease_no] = [Number(turn?.turn_id), Number(turn?.lease_no)];
  await bench.client.events(turn_id, {
    lease_no,
    first_seq: 1,
    events: (["spawned", "delivered"] as const).map((kind, at) => ({
      seq: at + 1,
      after_ms: 0,
      kind,
      payload: {},
    })),
  });
  await bench.rows("update turns set leased_until = now() - interval '1 hour'");
  await loseExpiredTurns(bench.turns);
  deepEqual(await counted(bench), { requests: 1, input: 0, output: 0 });
  const [row] = await bench.rows(
    "select model, is_partial from session_token_usages",
  );
  deepEqual({ ...row }, { model: "unknown", is_partial: true });
  const late = endRequest({ lease_no, final_seq: 2, usage: [used("k")] });
  const answer = await bench.client.end(turn_id, late);
  equal(answer.next, "retry", "the receipt of the end that it had");
  deepEqual(await counted(bench), { requests: 1, input: 10, output: 20 });
  await bench.client.end(turn_id, late);
  deepEqual(await counted(bench), { requests: 1, input: 10, output: 20 });
});

Deno.test("[behaviour 22] use sent twice, out of order, by forks and by killed turns counts each request once", async () => {
  await using bench = await openTurnBench();
  const turnOf = fc.record({
    /** Its requests: a fork repeats some of another's. */
    usage: fc.array(
      fc.record({
        key: fc.constantFrom("a", "b", "c", "d", "e", "f"),
        output: fc.integer({ min: 1, max: 1_000 }),
      }),
      { maxLength: 5 },
    ),
    isKilled: fc.boolean(),
    repeats: fc.integer({ min: 0, max: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(turnOf, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (turns, isBackwards) => {
        for (
          const table of [
            "session_token_usages",
            "token_usage_days",
            "token_usage_totals",
          ]
        ) await bench.rows(`delete from ${table}`);
        await bench.rows("delete from sessions");
        const leased: { id: number; lease: number; usage: UsageReport[] }[] =
          [];
        const model = new Map<string, number>();
        for (const { usage, isKilled, repeats } of turns) {
          await bench.start("x");
          const { turn } = await bench.client.lease(
            leaseRequest({ turns_here: leased.map(({ id }) => id) }),
          );
          const one = {
            id: Number(turn?.turn_id),
            lease: Number(turn?.lease_no),
            usage: usage.map(({ key, output }) =>
              used(key, { output_tokens: output })
            ),
          };
          for (const { key, output } of usage) {
            model.set(key, Math.max(model.get(key) ?? 0, output));
          }
          if (isKilled) {
            await bench.client.release(one.id, {
              lease_no: one.lease,
              detail: "killed",
            });
          }
          for (let n = 0; n <= repeats; n++) leased.push(one);
        }
        for (const one of isBackwards ? leased.toReversed() : leased) {
          const { id, lease, usage } = one;
          await bench.client.end(
            id,
            endRequest({ lease_no: lease, outcome: "done", usage }),
          );
        }
        const output = [...model.values()].reduce((sum, n) => sum + n, 0);
        deepEqual(await counted(bench), {
          requests: model.size,
          input: 10 * model.size,
          output,
        });
      },
    ),
    { numRuns: 15 },
  );
});

Deno.test("a limit that an agent fails at parks its turn without an attempt, and the login's other turns", async () => {
  await using bench = await openTurnBench();
  const [first, other] = [await bench.start("a"), await bench.start("b")];
  const { turn } = await bench.client.lease(leaseRequest());
  await closeTurn(bench, turn, {
    outcome: "failed",
    class: "usage_limit",
    detail: "The five hours are used up",
    parked_ms: 600_000,
    limits: {
      windows: [{ name: "five_hour", utilization: 1, resets_in_ms: 600_000 }],
      rejected_for_ms: null,
    },
  });
  const session = await bench.session(first);
  equal(session.waitReason, "parked");
  const [again] = await bench.rows(
    "select kind, attempt, prompt from turns where session_id = $1 and phase = 'queued'",
    [first],
  );
  deepEqual({ ...again }, { kind: "recovery", attempt: 1, prompt: "a" });
  equal((await bench.client.lease(leaseRequest())).turn, null);
  equal((await bench.session(other)).waitReason, "queued");
  const [login] = await bench.rows(
    `select runtime, account, limits -> 'five_hour' ->> 'utilization' as used,
       rejected_until > now() as is_refused from logins`,
  );
  deepEqual({ ...login }, {
    runtime: "command",
    account: `runner-${bench.runnerId}`,
    used: "1",
    is_refused: true,
  });
  // Another agent of the same runner is another login.
  await runtimeOf(bench, other, "claude_code");
  equal((await bench.client.lease(leaseRequest())).turn?.session_id, other);
  await rejects(
    bench.client.end(Number(turn?.turn_id), endRequest({ lease_no: 9 })),
    (error: Error) => {
      match(error.name, /LeaseLost/);
      return true;
    },
  );
});
