/**
 * Carries out one leased turn, from its tree to its receipt.
 *
 * Nothing here outlives it: agent, what the agent started, supervisor, beats
 * and timers are gone when it resolves. It never rejects: whatever goes wrong
 * is how the turn ends.
 * Specification: docs/spec/runner.md sections 2 to 6.
 *
 * @module
 */
import type {
  EndRequest,
  LeasedTurn,
  ProcessIdentity,
  TurnCommand,
  TurnCommandReceipt,
  TurnPhase,
} from "../../fleet/turns/protocol.ts";
import { type AgentEnd, agentEnd, type RunningAgent } from "../agents/agent.ts";
import { AgentProcess } from "../process/agent_process.ts";
import { killMarked, markerOf, sessionPrefix } from "../process/marker.ts";
import { superviseTurn } from "../process/supervisor.ts";
import { Spool } from "../spool/spool.ts";
import { isTree } from "../trees/tree.ts";
import type { TurnDeps } from "./deps.ts";
import { deliverEnd } from "./deliver_end.ts";
import { equip } from "./equip.ts";
import { Fence, type FenceOrder } from "./fence.ts";
import { Heart } from "./heart.ts";
import { failedTree, outcomeOf, type Work } from "./outcome.ts";
import { placeOf, type TurnPlace } from "./place.ts";
import { Reach } from "./reach.ts";
import { Sender } from "./sender.ts";
import { type StopCause, Stopping } from "./stopping.ts";
import { watchTurn } from "./watch.ts";

const JUMP_MS = 5_000;
const JUMP_GRACE_MS = 5_000;
/** How long a runner that stops tries to hand an end over. */
const STOP_LIMIT_MS = 5_000;

/** The turn stops before its agent has been told anything. */
class StoppedError extends Error {}

/** Carries out a turn; `stop` ends it because the runner stops. */
export async function runTurn(
  turn: LeasedTurn,
  deps: TurnDeps,
  stop: AbortSignal,
): Promise<void> {
  const run = new TurnRun(turn, deps);
  try {
    await run.carryOut(stop);
  } catch (error) {
    // The lease runs out, and the server tries again.
    deps.report("turn_broke", { turn: turn.turn_id, error: String(error) });
  }
}

class TurnRun {
  readonly #turn: LeasedTurn;
  readonly #deps: TurnDeps;
  readonly #place: TurnPlace;
  readonly #marker: string;
  readonly #fence: Fence;
  readonly #reach: Reach;
  readonly #stopped = Promise.withResolvers<never>();
  #phase: TurnPhase = "leased";
  #conversationId: string | null;
  #heart: Heart | undefined;
  #agent: RunningAgent | undefined;
  #process: AgentProcess | undefined;
  #identity: ProcessIdentity | null = null;
  #cause: StopCause | undefined;
  #stopping: Stopping | undefined;
  #stoppedAt = 0;
  #settledAt: number | undefined;
  #isOver = false;
  #hasSpoken = false;
  #receipts: TurnCommandReceipt[] = [];
  #lastSign: number;

  constructor(turn: LeasedTurn, deps: TurnDeps) {
    const { clocks, durations, folders } = deps;
    this.#turn = turn;
    this.#deps = deps;
    this.#conversationId = turn.conversation_id;
    this.#lastSign = clocks.monotonic();
    this.#place = placeOf(turn, deps);
    this.#marker = markerOf({
      runnerKey: folders.key,
      sessionId: this.#place.markedSession,
      turnId: turn.turn_id,
      leaseNo: turn.lease_no,
    });
    this.#fence = new Fence(clocks, {
      interruptMs: durations.fence_interrupt_ms,
      killMs: durations.fence_kill_ms,
      jumpMs: JUMP_MS,
      graceMs: JUMP_GRACE_MS,
    });
    const runtime = deps.runtimes.get(turn.runtime);
    this.#reach = new Reach(clocks, {
      limitMs: runtime?.callsServer === true ? durations.reach_ms : undefined,
      server: deps.server,
    });
    this.#stopped.promise.catch(() => {}); // Whoever waits for it is told.
  }

  async carryOut(stop: AbortSignal): Promise<void> {
    const { client, clocks, durations, folders } = this.#deps;
    const { turn_id, session_id, lease_no } = this.#turn;
    const spool = await Spool.create(folders.spool, {
      header: { turn_id, session_id, lease_no, marker: this.#marker },
      now: clocks.monotonic,
    });
    await using stack = new AsyncDisposableStack();
    stack.use(spool);
    const onLost = (error: Error) =>
      this.#stop({ kind: "lost", detail: error.message });
    const sender = stack.use(
      new Sender({ client, spool, flushMs: durations.flush_ms, onLost }),
    );
    this.#heart = stack.use(
      new Heart({
        client,
        turnId: turn_id,
        leaseNo: lease_no,
        beatMs: durations.beat_ms,
        pollMs: durations.poll_ms,
        say: () => ({
          phase: this.#phase,
          process: this.#identity,
          last_seq: spool.lastSeq,
          conversation_id: this.#conversationId,
        }),
        fence: this.#fence,
        reach: this.#reach,
        onCommand: (command) => this.#command(command),
        onLost,
      }),
    );
    const onStop = () => this.#stop({ kind: "runner" });
    stop.addEventListener("abort", onStop);
    stack.defer(() => stop.removeEventListener("abort", onStop));
    if (stop.aborted) onStop();

    const { end, git, leftovers } = await this.#work(spool, sender);
    await this.#place.leave();
    // It may have reached the server since the last beat.
    if (this.#reach.isDue) await this.#heart.beat().catch(() => {});
    this.#reach.end();
    this.#isOver = true;
    this.#stopping?.done();
    if (this.#cause?.kind === "lost") {
      await spool.remove();
      return;
    }
    const request = this.#endRequest(spool, { end, git, leftovers });
    spool.add("ended", {
      outcome: request.outcome,
      class: request.class,
      detail: request.detail,
      killed_leftovers: leftovers,
    });
    const whole = { ...request, final_seq: spool.lastSeq };
    await spool.addEnd(whole);
    const isTaken = await deliverEnd(whole, {
      client,
      turnId: turn_id,
      sender,
      pauseMs: Math.min(1_000, durations.beat_ms),
      report: this.#deps.report,
      stop,
      stopLimitMs: Math.min(STOP_LIMIT_MS, durations.beat_ms),
      isLost: () => this.#cause?.kind === "lost",
    });
    if (isTaken) await spool.remove();
  }

  /** All of it but the receipt. */
  async #work(spool: Spool, sender: Sender): Promise<Work> {
    await using _supervisor = superviseTurn(this.#marker);
    // Whatever still works on this session works on a lease that is gone.
    await killMarked(sessionPrefix({
      runnerKey: this.#deps.folders.key,
      sessionId: this.#place.markedSession,
    }));
    const nothing = { git: null, leftovers: 0 };
    const tree = await Promise.race([
      this.#place.prepare(),
      this.#stopped.promise,
    ]).catch((error: unknown) => error);
    if (!isTree(tree)) return { ...nothing, end: failedTree(tree) };
    for (const text of tree.notices) spool.add("notice", { text });
    const before = await tree.report();
    const end = await this.#runAgent(tree.cwd, spool, sender);
    const leftovers = await this.#process?.sweep() ?? 0;
    const after = await tree.report();
    return {
      end,
      leftovers,
      git: after === null ? null : { ...after, before: before?.after ?? null },
    };
  }

  async #runAgent(
    cwd: string,
    spool: Spool,
    sender: Sender,
  ): Promise<AgentEnd> {
    const { durations, folders, runtimes } = this.#deps;
    const runtime = runtimes.get(this.#turn.runtime);
    if (runtime === undefined) {
      return agentEnd("failed", {
        class: "runtime_unavailable",
        detail: `This runner does not offer "${this.#turn.runtime}"`,
      });
    }
    await using given = await equip(this.#turn, {
      deps: this.#deps,
      runtime,
      cwd,
      stateFolder: this.#place.folder,
    });
    const { env } = given;
    for (const text of given.notices) spool.add("notice", { text });
    const started: AgentProcess[] = [];
    const agent = runtime.run({
      turn: this.#turn,
      cwd,
      env,
      mcpUrl: given.ownUrl,
      mcpServers: given.servers,
      toldHooks: given.toldHooks,
      stateFolder: this.#place.folder,
      durations,
      start: (program) => {
        const process = new AgentProcess({
          argv: program.argv,
          cwd,
          env: { ...env, ...program.env },
          marker: this.#marker,
          owner: folders.agentUser,
          onOutput: () => this.#sign(),
        });
        started.push(process);
        this.#process = process;
        return process;
      },
      emit: (kind, payload) => {
        this.#sign();
        spool.add(kind, payload);
        if (!this.#hasSpoken) sender.hurry(); // Whoever looks on sees it work.
        this.#hasSpoken = true;
      },
      ready: () => spool.ready(),
      spawned: (process) => this.#spawned(process, spool, sender),
      delivered: () => {
        this.#phase = "delivered";
        spool.add("delivered", {});
        sender.hurry();
      },
      settled: () => {
        this.#settledAt ??= this.#deps.clocks.monotonic();
        this.#stopping?.done();
      },
      named: (id) => {
        if (this.#conversationId === id) return;
        this.#conversationId = id;
        spool.add("conversation", { conversation_id: id });
        sender.hurry();
      },
    });
    this.#agent = agent;
    if (this.#cause !== undefined) this.#push();
    using _watch = watchTurn({
      deps: this.#deps,
      turn: this.#turn,
      marker: this.#marker,
      fence: this.#fence,
      spool,
      isBusy: () => agent.isBusy(),
      lastSign: () => this.#lastSign,
      onBreach: (kind, detail) =>
        this.#stop({ kind: "rule", class: kind, detail }),
      onFence: (order) => this.#obeyFence(order),
    });
    try {
      return await agent.ended;
    } catch (error) {
      return agentEnd("failed", { class: "crashed", detail: String(error) });
    } finally {
      // One that was begun anew in the same turn leaves its first process.
      for (const process of started.slice(0, -1)) await process.sweep();
    }
  }

  async #spawned(
    process: AgentProcess,
    spool: Spool,
    sender: Sender,
  ): Promise<void> {
    this.#identity = await process.identity();
    this.#phase = "spawned";
    this.#reach.begin((text) => spool.add("notice", { text }));
    spool.add("spawned", { ...this.#identity });
    // The prompt is written only while the turn is known to be ours.
    await Promise.race([sender.sent(), this.#stopped.promise]);
    if (this.#cause !== undefined) throw new StoppedError("The turn stops");
  }

  #sign(): void {
    this.#lastSign = this.#deps.clocks.monotonic();
  }

  #command(command: TurnCommand): void {
    if (this.#receipts.some(({ id }) => id === command.id)) return;
    const isSettled = this.#isOver || this.#settledAt !== undefined;
    if (isSettled || this.#cause !== undefined) {
      const isSame = this.#cause?.kind === "command" &&
        this.#cause.command.id === command.id;
      if (!isSame) {
        this.#receipts.push({ id: command.id, how: "void", after_ms: 0 });
      }
      return;
    }
    this.#stop({ kind: "command", command });
  }

  /** The first cause holds, but for a lost lease: then nothing may go on. */
  #stop(cause: StopCause): void {
    const isLost = cause.kind === "lost";
    if ((this.#isOver || this.#settledAt !== undefined) && !isLost) return;
    if (this.#cause !== undefined && !isLost) return;
    this.#cause = cause;
    this.#stoppedAt ||= this.#deps.clocks.monotonic();
    this.#stopped.reject(new StoppedError("The turn stops"));
    this.#push();
  }

  #push(): void {
    if (this.#agent === undefined || this.#isOver) return;
    this.#stopping ??= new Stopping(this.#agent, this.#deps.durations);
    if (this.#cause?.kind === "lost") this.#stopping.kill();
  }

  #obeyFence(order: FenceOrder): void {
    if (order === "beat") {
      this.#deps.report("clock_jumped", { turn: this.#turn.turn_id });
      // Whatever it says, the heart and the fence act on it.
      void this.#heart?.beat().catch(() => {});
      return;
    }
    this.#stop({ kind: "fence" });
    if (order === "kill") this.#stopping?.kill();
  }

  #endRequest(
    spool: Spool,
    { end, git, leftovers }: Work,
  ): EndRequest {
    const how = this.#stopping?.how ?? "asked";
    const settledAt = this.#settledAt ?? this.#deps.clocks.monotonic();
    const after_ms = Math.max(0, Math.round(settledAt - this.#stoppedAt));
    const cause = this.#cause;
    if (cause?.kind === "command") {
      this.#receipts.push({ id: cause.command.id, how, after_ms });
    }
    return {
      lease_no: this.#turn.lease_no,
      final_seq: spool.lastSeq,
      ...this.#reach.judge(outcomeOf(cause, end)),
      parked_ms: cause === undefined ? end.parkedMs : null,
      conversation_id: this.#conversationId,
      usage: end.usage,
      limits: end.limits,
      git,
      killed_leftovers: leftovers,
      commands: this.#receipts,
    };
  }
}
