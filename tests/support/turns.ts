/**
 * An endpoint with a port, a registered runner, and sessions that run.
 *
 * @module
 */
import { offerTurn } from "../../fleet/sessions/offer.ts";
import { lockOrRefuse } from "../../fleet/sessions/transition.ts";
import { loseExpiredTurns } from "../../fleet/turns/lose.ts";
import type { TurnDurations } from "../../fleet/turns/protocol.ts";
import { openTurns, type Turns } from "../../fleet/turns/turns.ts";
import { commandRuntime } from "../../runner/agents/command.ts";
import type { RunnerOptions } from "../../runner/runner.ts";
import { ServerClient } from "../../runner/server/client.ts";
import {
  startRunner,
  type TestRunner,
} from "../../runner/testdata/test_runner.ts";
import {
  findSession,
  insertMessage,
  insertSession,
  type NewSession,
  type Session,
} from "../../store/sessions/mod.ts";
import { insertRunner } from "../../store/turns/mod.ts";
import {
  type EndpointOptions,
  openEndpoint,
  type TestEndpoint,
} from "./endpoint.ts";

/**
 * Durations that a test can wait for; those that end something stay long, so
 * that a slow machine ends nothing.
 */
export const QUICK: Partial<TurnDurations> = {
  lease_ms: 60_000,
  beat_ms: 300,
  fence_interrupt_ms: 40_000,
  fence_kill_ms: 50_000,
  interrupt_ms: 20_000,
  terminate_ms: 300,
  exit_ms: 500,
  retry_ms: [0, 0, 0],
  poll_ms: 1_000,
  flush_ms: 20,
};

/** A server whose sessions run. */
export interface TurnBench extends AsyncDisposable {
  readonly endpoint: TestEndpoint;
  readonly turns: Turns;
  /** Its address. */
  readonly url: string;
  /** Calls of a runner. */
  readonly client: ServerClient;
  readonly runnerId: number;
  /** The runner's token. */
  readonly token: string;
  /** Starts a runner whose `command` is this. */
  run(
    command: readonly string[],
    options?: Partial<RunnerOptions>,
  ): Promise<TestRunner>;
  /** A session with a turn that is queued. @default {of `command`} */
  start(
    prompt: string,
    runtime?: string,
    given?: Partial<NewSession>,
  ): Promise<number>;
  /** Adds a message, and a turn where the session rests. */
  tell(id: number, content: string): Promise<void>;
  session(id: number): Promise<Session>;
  /** Resolves with the session when a condition holds. */
  until(id: number, holds: (session: Session) => boolean): Promise<Session>;
  /** Rows of a statement. */
  rows(
    text: string,
    params?: readonly unknown[],
  ): Promise<Record<string, unknown>[]>;
}

/** Opens it. */
export async function openTurnBench(
  options: EndpointOptions = {},
): Promise<TurnBench> {
  const stack = new AsyncDisposableStack();
  const durations = { ...QUICK, ...options.turnDurations };
  const endpoint = stack.use(
    await openEndpoint({
      allowedHosts: ["localhost", "127.0.0.1"],
      ...options,
      turnDurations: durations,
    }),
  );
  const { db } = endpoint.test;
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => endpoint.handler.fetch(request),
  );
  stack.defer(() => server.shutdown());
  const url = `http://127.0.0.1:${server.addr.port}`;
  const turns = openTurns({ ...endpoint.services, durations });
  const sweep = setInterval(() => {
    loseExpiredTurns(turns).catch(() => {});
  }, 500);
  stack.defer(() => clearInterval(sweep));
  const runner = await db.transaction((tx) => insertRunner(tx, "test"));
  const client = new ServerClient({ server: url, token: runner.token });
  const session = async (id: number) => {
    const found = await findSession(db, id);
    if (found === undefined) throw new Error(`No session ${id}`);
    return found;
  };
  return {
    endpoint,
    turns,
    url,
    client,
    runnerId: runner.id,
    token: runner.token,
    session,
    rows: (text, params) => db.write(text, params),
    async run(command, given = {}) {
      return await startRunner({
        server: url,
        token: runner.token,
        runtimes: [commandRuntime(command, { trustsCatalogs: false })],
        ...given,
      });
    },
    async start(prompt, runtime = "command", given = {}) {
      return await db.transaction(async (tx) => {
        const started = await insertSession(tx, {
          agentRootKey: "gardener",
          status: "waiting",
          waitReason: "never_started",
          drivenBy: "runner",
          agentRuntime: runtime,
          prompt,
          ...given,
        });
        const id = Number(started?.session.id);
        await offerTurn(tx, await lockOrRefuse(tx, id), { kind: "start" });
        return id;
      });
    },
    async tell(id, content) {
      await db.transaction(async (tx) => {
        const found = await lockOrRefuse(tx, id);
        await insertMessage(tx, id, { content });
        if (found.status === "needs_input") {
          await offerTurn(tx, found, { kind: "message" });
        }
      });
    },
    async until(id, holds) {
      const deadline = performance.now() + 30_000;
      for (;;) {
        const found = await session(id);
        if (holds(found)) return found;
        if (performance.now() > deadline) {
          throw new Error(
            `Never: ${holds}; it is ${found.status} ${
              found.failureReason ?? ""
            }`,
          );
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
