import { deepEqual, ok } from "node:assert/strict";
import { StoreUnavailableError } from "../../store/mod.ts";
import type { Db } from "../../store/pg/mod.ts";
import { callHttp } from "../soak/callers.ts";
import type { Answer } from "../soak/answer.ts";
import { assertAllowed } from "../support/allowed_states.ts";
import { type FireHome, openFireHome, ROOT } from "../support/fire.ts";
import { leaseTurn } from "../support/leases.ts";
import { type ServerProcess, startServer } from "../support/process.ts";

const KEY = "key-of-the-fire-test";
const LANES = 6;
const KILLS = 4;
const CALLS_PER_KILL = 20;
const LIMIT_MS = 120_000;

/** What was asked of a session that was started, and how it was answered. */
interface Asked {
  readonly id: number;
  readonly key: string;
  readonly told: Answer["kind"];
  readonly slept: Answer["kind"];
  readonly stopped: Promise<Answer["kind"]>;
}

/** Calls, and has PostgreSQL killed again and again meanwhile. */
class Fire {
  #done = 0;
  #kills = 0;
  readonly #server: ServerProcess;
  readonly #home: FireHome;

  constructor(home: FireHome, server: ServerProcess) {
    this.#home = home;
    this.#server = server;
  }

  get isOver(): boolean {
    return this.#kills === KILLS;
  }

  async call(tool: string, args: unknown): Promise<Answer> {
    const answer = await callHttp(this.#server.url, KEY, {
      tool,
      args,
      groups: "sessions,triggers",
    });
    ok(answer.kind !== "surprise", `${tool}: ${JSON.stringify(answer)}`);
    if (answer.kind === "done" && ++this.#done % CALLS_PER_KILL === 0) {
      this.#kills++;
      Deno.kill(await this.#home.postmaster(), "SIGKILL");
    }
    return answer;
  }

  /** The same call until it is done. */
  async insist(tool: string, args: unknown): Promise<Answer> {
    const deadline = performance.now() + LIMIT_MS;
    for (;;) {
      const answer = await this.call(tool, args);
      if (answer.kind === "done") return answer;
      ok(performance.now() < deadline, "The database did not come back");
    }
  }
}

/** Starts a session, tells it something, lets it sleep and stops its turn. */
async function askFor(
  fire: Fire,
  { db }: FireHome,
  key: string,
): Promise<Asked> {
  const started = await fire.insist("start_session", {
    agent_root: ROOT,
    agent_runtime: "command",
    prompt: "begin",
    idempotency_key: key,
  });
  ok(started.kind === "done");
  const id = Number(started.data.session_id);
  const session_id = String(id);
  const told = await fire.call("action_session", {
    action: "follow_up",
    session_id,
    prompt: "and then",
  });
  const slept = await fire.call("wake_me_up_later", {
    session_id: id,
    wake_at: "2199-01-01T00:00",
    prompt: "wake up",
  });
  await lease(db, id);
  const stopped = fire.call("action_session", { action: "pause", session_id });
  return {
    id,
    key,
    told: told.kind,
    slept: slept.kind,
    // Nobody confirms it, which it waits for.
    stopped: stopped.then(({ kind }) => kind),
  };
}

/** A runner's part of it, which is tried again, too. */
async function lease(db: Db, id: number): Promise<void> {
  for (const deadline = performance.now() + LIMIT_MS;;) {
    try {
      await leaseTurn(db, id);
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      ok(performance.now() < deadline, "The database did not come back");
    }
  }
}

/** How often a thing may be stored that was answered so. */
function allowed(kind: Answer["kind"]): readonly number[] {
  return kind === "done" ? [1] : kind === "refused" ? [0] : [0, 1];
}

Deno.test("PostgreSQL killed under starts, messages, wakes and stops: what was acknowledged stands once, what was refused not at all", async () => {
  await using home = await openFireHome();
  await using server = await startServer({ ...home.env, API_KEYS: KEY });
  const fire = new Fire(home, server);
  const asked: Asked[] = [];
  await Promise.all(Array.from({ length: LANES }, async (_, lane) => {
    for (let n = 0; !fire.isOver; n++) {
      asked.push(await askFor(fire, home, `${lane}-${n}`));
    }
  }));
  for (const { id, key, told, slept, stopped } of asked) {
    const [row] = await home.db.read<Record<string, number>>(
      `select (select count(*)::int from sessions where idempotency_key = $2) as sessions,
         (select count(*)::int from turns where session_id = $1) as turns,
         (select count(*)::int from enqueued_messages
          where session_id = $1 and content = 'and then') as messages,
         (select count(*)::int from triggers where wake_session_id = $1) as wakes,
         (select count(*)::int from turn_commands c join turns t on t.id = c.turn_id
          where t.session_id = $1 and c.kind = 'stop') as stops`,
      [id, key],
    );
    const { sessions, turns, messages, wakes, stops } = row ?? {};
    const what = `${key}: ${told}, ${slept}, ${await stopped}`;
    deepEqual({ sessions, turns }, { sessions: 1, turns: 1 }, what);
    ok(allowed(told).includes(messages ?? -1), `${what}: ${messages} messages`);
    ok(allowed(slept).includes(wakes ?? -1), `${what}: ${wakes} wakes`);
    ok(allowed(await stopped).includes(stops ?? -1), `${what}: ${stops} stops`);
  }
  ok(asked.length >= LANES);
  await assertAllowed(home.db, "after the kills");
});
