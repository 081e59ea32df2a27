/**
 * An agent asks people: whether it may use a tool, and what a form asks for.
 *
 * @module
 */
import { deepEqual, equal, match } from "node:assert/strict";
import { findQuestion, respond, UNRESTRICTED } from "../../fleet/mod.ts";
import { HAS_SWEEP } from "../../runner/process/marker.ts";
import { fakeRuntime } from "../../runner/testdata/fake_runtime.ts";
import { findOpenTurn, orderTurn } from "../../store/sessions/mod.ts";
import { openTurnBench, type TurnBench } from "../support/turns.ts";

const ignore = !HAS_SWEEP;

async function openAsking(): Promise<
  AsyncDisposable & { readonly bench: TurnBench }
> {
  const stack = new AsyncDisposableStack();
  const bench = stack.use(await openTurnBench());
  await bench.endpoint.setRoots({ gardener: { permission: "ask" } });
  const home = await Deno.makeTempDir();
  stack.defer(() => Deno.remove(home, { recursive: true }));
  stack.use(
    await bench.run([], {
      runtimes: [fakeRuntime(home)],
      env: { ...Deno.env.toObject() },
    }),
  );
  return { bench, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** The open question of a session, once there is one. */
async function question(bench: TurnBench, id: number) {
  for (;;) {
    await bench.until(id, ({ pausedBy }) => pausedBy === "elicitation");
    const [row] = await bench.rows(
      "select request_id from elicitations where session_id = $1 and status = 'pending'",
      [id],
    );
    if (row !== undefined) {
      return await findQuestion(bench.endpoint.services, `${row.request_id}`);
    }
  }
}

async function eventsOf(bench: TurnBench, id: number, kind: string) {
  return await bench.rows(
    "select text, payload from turn_events where session_id = $1 and kind = $2 order by turn_id, seq",
    [id, kind],
  );
}

Deno.test({
  name:
    "[behaviour 25] a tool of a root that asks waits for a person, and so does a form; the answers reach the agent",
  ignore,
  async fn() {
    await using asking = await openAsking();
    const { bench } = asking;
    const { services } = bench.endpoint;
    const id = await bench.start(
      "tool other {}\ntool other {}\nelicit",
      "fake",
    );
    const first = await question(bench, id);
    match(first.message, /^May the agent use "/);
    equal((await bench.session(id)).status, "needs_input");
    await respond(services, UNRESTRICTED, first.requestId, {
      action: "accept",
    });
    await bench.until(id, ({ status }) => status === "running");
    const second = await question(bench, id);
    await respond(services, UNRESTRICTED, second.requestId, {
      action: "decline",
    });
    await bench.until(id, ({ status }) => status === "running");
    const form = await question(bench, id);
    deepEqual(Object.keys(form.requestedSchema), ["type", "properties"]);
    await respond(services, UNRESTRICTED, form.requestId, {
      action: "accept",
      content: { a: "the red one" },
    });
    await bench.until(
      id,
      ({ status, pausedBy }) => status === "needs_input" && pausedBy === null,
    );
    const statuses = (await eventsOf(bench, id, "tool"))
      .map(({ payload }) => (payload as { status?: unknown }).status);
    deepEqual(statuses, ["pending", "completed", "pending", "failed"]);
    const said = (await eventsOf(bench, id, "text"))
      .map(({ text }) => text).join("");
    match(said, /"accept".*the red one/);
  },
});

Deno.test({
  name: "an interrupt ends a turn that waits for an answer",
  ignore,
  async fn() {
    await using asking = await openAsking();
    const { bench } = asking;
    const id = await bench.start("tool other {}", "fake");
    await question(bench, id);
    await bench.endpoint.test.db.transaction(async (tx) => {
      const turn = await findOpenTurn(tx, id);
      if (turn === undefined) throw new Error("No turn is under way");
      await orderTurn(tx, turn.id, { kind: "interrupt", reason: "test" });
    });
    await bench.until(
      id,
      ({ status, pausedBy }) =>
        status === "needs_input" && pausedBy !== "elicitation",
    );
    const [turn] = await bench.rows(
      "select outcome from turns where session_id = $1",
      [id],
    );
    equal(turn?.outcome, "interrupted");
  },
});
