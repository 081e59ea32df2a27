/**
 * A real agent from npm, unmodified, on a real server: Gemini CLI against a
 * model on loopback.
 *
 * @module
 */
import { equal, match, ok } from "node:assert/strict";
import { acpRuntime, prepareHome } from "../../runner/agents/acp/runtime.ts";
import { findAgents } from "../../runner/agents/find_agents.ts";
import { GEMINI } from "../../runner/agents/profiles/gemini.ts";
import { killMarked, runnerPrefix } from "../../runner/process/marker.ts";
import { findOpenTurn, orderTurn } from "../../store/sessions/mod.ts";
import { clientPath, HAS_NPM, SKIP_NOTE } from "../support/clients.ts";
import { openTurnBench, type TurnBench } from "../support/turns.ts";
import { startToldModel, type ToldModel } from "./told_model.ts";

const LIMIT_MS = 120_000;

Deno.test({
  name:
    `Gemini CLI runs turns, calls our tools, is killed and goes on, is interrupted, and archives itself${SKIP_NOTE}`,
  ignore: !HAS_NPM || Deno.build.os !== "linux",
  async fn(t) {
    await using world = await openWorld();
    const { bench, model, prefix } = world;
    const id = await bench.start(
      `CALL put_root_record ${
        JSON.stringify({ collection: "runs", key: "k", data: { by: "gemini" } })
      }`,
      "gemini",
    );

    await t.step("a turn ends, and its tool call reached us", async () => {
      await rests(bench, id, 1);
      const [record] = await bench.rows(
        "select data, writing_session_id from agent_root_records",
      );
      equal(JSON.stringify(record?.data), '{"by":"gemini"}');
      equal(Number(record?.writing_session_id), id);
      match(await said(bench, id), /DONE .*created/);
      const [usage] = await bench.rows(
        "select sum(input_tokens)::int as n from session_token_usages",
      );
      ok(Number(usage?.n) >= 3_000, "both requests to the model are counted");
    });

    await t.step("killed in the middle, it goes on where it was", async () => {
      await bench.tell(id, "SLOW one");
      await held(bench, model, id);
      ok(await killMarked(prefix) > 0);
      await rests(bench, id, 3);
      const turns = await turnsOf(bench, id);
      equal(turns.at(-2)?.class, "crashed");
      equal(turns.at(-1)?.kind, "recovery");
      equal(turns.at(-1)?.outcome, "done");
      // It heard what was said two turns ago: the conversation was loaded.
      match(await said(bench, id), /HEARD .*CALL put_root_record.*SLOW one/s);
    });

    await t.step("an interrupt is heard, and the next turn works", async () => {
      await bench.tell(id, "SLOW two");
      await held(bench, model, id);
      const { db } = bench.endpoint.test;
      await db.transaction(async (tx) => {
        const turn = await findOpenTurn(tx, id);
        ok(turn !== undefined);
        await orderTurn(tx, turn.id, { kind: "interrupt", reason: "test" });
      });
      await rests(bench, id, 4);
      equal((await turnsOf(bench, id)).at(-1)?.outcome, "interrupted");
    });

    await t.step("it archives itself", async () => {
      await bench.tell(
        id,
        `CALL action_session ${
          JSON.stringify({ action: "archive", session_id: String(id) })
        }`,
      );
      await until(async () => (await bench.session(id)).status === "archived");
    });
  },
});

interface World extends AsyncDisposable {
  readonly bench: TurnBench;
  readonly model: ToldModel;
  /** What the markers of its agents begin with. */
  readonly prefix: string;
}

async function openWorld(): Promise<World> {
  const stack = new AsyncDisposableStack();
  const model = stack.use(startToldModel());
  const bench = stack.use(await openTurnBench());
  const folder = await Deno.makeTempDir({ prefix: "rootcellar-gemini-" });
  // Its runner takes it away, where there was one.
  stack.defer(() => Deno.remove(folder, { recursive: true }).catch(() => {}));
  const home = `${folder}/home`;
  const env = {
    PATH: Deno.env.get("PATH") ?? "",
    GEMINI_API_KEY: "scripted",
    GOOGLE_GEMINI_BASE_URL: model.url,
  };
  // As `runner install` leaves it.
  await Deno.mkdir(`${folder}/agents/gemini`, { recursive: true });
  const package_ = await clientPath("@google/gemini-cli");
  await Deno.symlink(
    package_.slice(0, package_.lastIndexOf("/@google")),
    `${folder}/agents/gemini/node_modules`,
  );
  await prepareHome({ profile: GEMINI, home });
  const [found] = await findAgents([GEMINI], {
    agents: `${folder}/agents`,
    home,
    env,
  });
  if (found === undefined) throw new Error("Gemini CLI is not installed");
  stack.use(
    await bench.run([], {
      folder,
      env,
      runtimes: [acpRuntime({ profile: GEMINI, argv: found.argv, home })],
    }),
  );
  await until(async () => await keyOf(folder) !== "");
  return {
    bench,
    model,
    prefix: runnerPrefix(await keyOf(folder)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function keyOf(folder: string): Promise<string> {
  return (await Deno.readTextFile(`${folder}/key`).catch(() => "")).trim();
}

async function turnsOf(bench: TurnBench, id: number) {
  return await bench.rows(
    "select * from turns where session_id = $1 order by ordinal",
    [id],
  );
}

/** Resolves when so many turns have ended and the session rests. */
async function rests(bench: TurnBench, id: number, turns: number) {
  await until(async () => {
    const { status, failureReason } = await bench.session(id);
    ok(status !== "failed", failureReason ?? "");
    const ended = (await turnsOf(bench, id))
      .filter(({ phase }) => phase === "ended");
    return status === "needs_input" && ended.length >= turns;
  });
}

/** Resolves when the agent has its message, and waits for the model. */
async function held(bench: TurnBench, model: ToldModel, id: number) {
  await until(async () =>
    model.slow() > 0 && (await turnsOf(bench, id)).at(-1)?.phase === "delivered"
  );
}

async function said(bench: TurnBench, id: number): Promise<string> {
  const rows = await bench.rows(
    "select text from turn_events where session_id = $1 order by turn_id, seq",
    [id],
  );
  return rows.map(({ text }) => text ?? "").join("\n");
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error(`Never: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
