/**
 * What every real agent is put through, on a real server and a real runner,
 * against a model on loopback.
 *
 * @module
 */
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { dirname } from "node:path";
import { type CatalogLoader, openCatalog } from "../../catalog/mod.ts";
import type { Profile } from "../../runner/agents/acp/profile.ts";
import { acpRuntime } from "../../runner/agents/acp/runtime.ts";
import { findAgents } from "../../runner/agents/find_agents.ts";
import type { AgentUser } from "../../runner/folders.ts";
import { killMarked, runnerPrefix } from "../../runner/process/marker.ts";
import { findOpenTurn, orderTurn } from "../../store/sessions/mod.ts";
import { ROOTS } from "../support/endpoint.ts";
import { openTurnBench, type TurnBench } from "../support/turns.ts";
import { startToldModel, type ToldModel } from "./told_model.ts";

/** An agent, and how it is told where its model is. */
export interface RealAgent {
  readonly profile: Profile;
  /** The folder `node_modules` that `runner install` left. */
  readonly modules: string;
  /** Its variables. */
  readonly env: (model: string) => Readonly<Record<string, string>>;
  /** Files of its home, by path. */
  readonly files?: (model: string) => Readonly<Record<string, string>>;
  /** Whom it runs as. @default {the test's own user} */
  readonly user?: AgentUser | undefined;
  /** Whether it tells of its last request only what it took. */
  readonly tellsLastRequest?: boolean;
  /** Whether it stays when nobody speaks to it any more. */
  readonly stays?: boolean;
  /** Whether a conversation may be lost in the minute in which it began. */
  readonly forgetsYoung?: boolean;
}

const LIMIT_MS = 120_000;

/**
 * It runs turns, calls our tools, is killed and goes on, is interrupted, and
 * archives itself.
 */
export async function runTurns(
  t: Deno.TestContext,
  agent: RealAgent,
): Promise<void> {
  const { profile } = agent;
  await using world = await openWorld(agent);
  const { bench, model, prefix } = world;
  let isWhole = true;
  const step = async (name: string, holds: () => Promise<void>) => {
    // Each goes on where the one before has ended.
    if (isWhole) isWhole = await t.step(name, holds);
  };
  const id = await bench.start(
    `CALL put_root_record ${
      JSON.stringify({
        collection: "runs",
        key: "k",
        data: { by: profile.name },
      })
    }`,
    profile.name,
    { catalogHooks: eventsOf(profile).map((event) => `at_${event}`) },
  );

  await step("a turn ends, and its tool call reached us", async () => {
    await rests(bench, id, 1);
    const [record] = await bench.rows(
      "select data, writing_session_id from agent_root_records",
    );
    equal(JSON.stringify(record?.data), JSON.stringify({ by: profile.name }));
    equal(Number(record?.writing_session_id), id);
    match(await said(bench, id), /DONE .*created/s);
    const [usage] = await bench.rows(
      "select sum(input_tokens)::int as n from session_token_usages",
    );
    ok(
      Number(usage?.n) >= (agent.tellsLastRequest === true ? 1_500 : 3_000),
      "both requests to the model are counted",
    );
  });

  await step("hooks of the catalog ran, and are gone with it", async () => {
    doesNotMatch(await said(bench, id), /not applied/);
    const log = await Deno.readTextFile(world.hookLog);
    deepEqual([...new Set(log.trim().split("\n"))].sort(), eventsOf(profile));
    const kept = `${world.folder}/sessions/session-${id}/hooks`;
    equal(await Deno.stat(kept).catch(() => "gone"), "gone");
    const { uid } = await Deno.stat(world.hookLog);
    equal(uid, agent.user?.uid ?? Deno.uid(), "hooks run as the agent does");
  });

  await step("killed in the middle, it goes on where it was", async () => {
    await bench.tell(id, "SLOW one");
    await held(bench, model, id);
    ok(await killMarked(prefix) > 0);
    await rests(bench, id, 3);
    const turns = await turnsOf(bench, id);
    equal(turns.at(-2)?.class, "crashed");
    equal(turns.at(-1)?.kind, "recovery");
    equal(turns.at(-1)?.outcome, "done");
    // It knows what was said two turns ago, by itself or by a recap.
    const words = await said(bench, id);
    match(words, /HEARD CALL put_root_record.*SLOW one/);
    if (agent.forgetsYoung !== true) {
      doesNotMatch(words, /could not be continued/);
    }
  });

  await step("an interrupt is heard, and the next turn works", async () => {
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

  await step("it archives itself", async () => {
    await bench.tell(
      id,
      `CALL action_session ${
        JSON.stringify({ action: "archive", session_id: String(id) })
      }`,
    );
    await until(async () => (await bench.session(id)).status === "archived");
  });
}

interface World extends AsyncDisposable {
  readonly bench: TurnBench;
  readonly model: ToldModel;
  /** The runner's folder. */
  readonly folder: string;
  /** What the hooks write to. */
  readonly hookLog: string;
  /** What the markers of its agents begin with. */
  readonly prefix: string;
}

async function openWorld(
  { profile, modules, ...agent }: RealAgent,
): Promise<World> {
  const stack = new AsyncDisposableStack();
  const model = stack.use(startToldModel());
  const folder = await Deno.makeTempDir({ prefix: "rootcellar-agent-" });
  // Its runner takes it away, where there was one.
  stack.defer(() => Deno.remove(folder, { recursive: true }).catch(() => {}));
  const catalog = stack.use(await hooksCatalog(`${folder}/catalog`, profile));
  const bench = stack.use(
    await openTurnBench({
      catalog,
      // Whoever ends by itself may have hooks to run then.
      turnDurations: agent.stays === true ? {} : { exit_ms: 30_000 },
    }),
  );
  const home = `${folder}/home`;
  const hookLog = `${home}/hooks.log`;
  const env = {
    PATH: Deno.env.get("PATH") ?? "",
    HOOK_LOG: hookLog,
    ...agent.env(model.url),
  };
  // As `runner install` leaves it.
  await Deno.mkdir(`${folder}/agents/${profile.name}`, { recursive: true });
  await Deno.symlink(
    modules,
    `${folder}/agents/${profile.name}/node_modules`,
  );
  for (const [path, text] of Object.entries(agent.files?.(model.url) ?? {})) {
    await Deno.mkdir(dirname(`${home}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${home}/${path}`, text);
  }
  const [found] = await findAgents([profile], {
    agents: `${folder}/agents`,
    home,
    env,
  });
  if (found === undefined) throw new Error(`${profile.name} is not installed`);
  stack.use(
    await bench.run([], {
      folder,
      env,
      runtimes: [acpRuntime({ profile, argv: found.argv })],
      agentUser: agent.user,
    }),
  );
  await until(async () => await keyOf(folder) !== "");
  return {
    bench,
    model,
    folder,
    hookLog,
    prefix: runnerPrefix(await keyOf(folder)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Moments at which an agent tells of itself. */
function eventsOf({ hooks }: Profile): readonly string[] {
  return Object.keys(hooks?.events ?? {})
    .filter((event) => event !== "notification").sort();
}

/** A hook a moment, which notes its name. */
async function hooksCatalog(
  folder: string,
  profile: Profile,
): Promise<CatalogLoader> {
  const hooks = eventsOf(profile).map((event) =>
    [event, {
      event,
      command: "./note.sh",
      args: [event],
      env: { LOG: "${HOOK_LOG}" },
      timeout_seconds: 30,
    }] as const
  );
  for (const [name, hook] of hooks) {
    await Deno.mkdir(`${folder}/${name}`, { recursive: true });
    await Deno.writeTextFile(
      `${folder}/${name}/HOOK.json`,
      JSON.stringify(hook),
    );
    await Deno.writeTextFile(
      `${folder}/${name}/note.sh`,
      '#!/bin/sh\ncat > /dev/null\nprintf "%s\\n" "$1" >> "$LOG"\n',
    );
  }
  const entries = hooks.map(([name]) => [`at_${name}`, { path: name }]);
  await Deno.writeTextFile(
    `${folder}/hooks.json`,
    JSON.stringify(Object.fromEntries(entries)),
  );
  await Deno.writeTextFile(`${folder}/roots.json`, JSON.stringify(ROOTS));
  await Deno.writeTextFile(
    `${folder}/air.json`,
    JSON.stringify({
      name: "hooks",
      roots: ["./roots.json"],
      hooks: ["./hooks.json"],
    }),
  );
  return openCatalog({ source: `${folder}/air.json` });
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
