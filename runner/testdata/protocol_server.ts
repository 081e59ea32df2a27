/**
 * A server of the protocol in memory, for tests of the runner: it checks what a
 * runner sends as strictly as the real one, and can be away.
 *
 * @module
 */
import type {
  BeatRequest,
  EndRequest,
  EventsRequest,
  HelloRequest,
  LeasedTurn,
  LeaseRequest,
  ReleaseRequest,
  RunnerCommand,
  RunnerCommandReceipt,
  TurnCommand,
  TurnDurations,
  TurnEvent,
} from "../../fleet/turns/protocol.ts";

/** Durations that a test can wait for. */
export const SHORT: TurnDurations = {
  lease_ms: 60_000,
  beat_ms: 200,
  fence_interrupt_ms: 60_000,
  fence_kill_ms: 70_000,
  interrupt_ms: 20_000,
  terminate_ms: 500,
  exit_ms: 500,
  silence_ms: 60_000,
  reach_ms: 60_000,
  retry_ms: [0, 0, 0],
  poll_ms: 2_000,
  flush_ms: 20,
};

/** What the server knows of a turn. */
export class ServedTurn {
  /** As it is leased. */
  readonly turn: LeasedTurn;
  /** In order. */
  readonly events: TurnEvent[] = [];
  /** Beats. */
  readonly beats: BeatRequest[] = [];
  /** Ends that came; one but for repetitions. */
  readonly ends: EndRequest[] = [];
  /** It was given back. */
  released: ReleaseRequest | undefined;
  /** Whether the lease was taken away. */
  isLost = false;
  /** Whether its agent has called MCP, as beats are answered. */
  hasCalledMcp = false;
  /** Open commands. */
  commands: TurnCommand[] = [];

  /** Takes the turn. */
  constructor(turn: LeasedTurn) {
    this.turn = turn;
  }

  /** The texts of its events of a kind. */
  texts(kind = "text"): unknown[] {
    return this.events.filter((event) => event.kind === kind)
      .map(({ payload }) => payload.text);
  }

  /** Kinds of its events, in order. */
  kinds(): string[] {
    return this.events.map(({ kind }) => kind);
  }

  /** Whether nothing will come any more. */
  get isOver(): boolean {
    return this.ends.length > 0 || this.released !== undefined;
  }
}

/** A turn of `command`, but for what a test sets. */
export function turnOf(given: Partial<LeasedTurn> = {}): LeasedTurn {
  return {
    turn_id: 1,
    session_id: 1,
    ordinal: 1,
    kind: "start",
    lease_no: 1,
    token: "rct_1_secret",
    mcp_path: "/mcp?tool_groups=root_data",
    prompt: "Do it",
    system_text: "You are session 1",
    conversation_id: null,
    recap: "",
    runtime: "command",
    model: null,
    command: null,
    is_trusted: true,
    permission: "all",
    max_turn_ms: 600_000,
    tree: { url: null, branch: null, subdirectory: null, fork: null },
    mcp_servers: [],
    skills: [],
    hooks: [],
    left_out: [],
    cause: null,
    ...given,
  };
}

/** A server on a port of its own. */
export class ProtocolServer implements AsyncDisposable {
  /** Its address. */
  readonly url: string;
  /** Hellos that came. */
  readonly hellos: HelloRequest[] = [];
  /** Receipts of commands of the runner. */
  readonly receipts: RunnerCommandReceipt[] = [];
  /** Turns by number. */
  readonly turns = new Map<number, ServedTurn>();
  /** Commands for the runner. */
  runnerCommands: RunnerCommand[] = [];
  /** Whether it answers with 503. */
  isAway = false;
  /** Whether the runner is refused. */
  isRevoked = false;
  /** Answers that are lost on their way, by path: counted down. */
  readonly dropAnswers = new Map<string, number>();
  readonly #durations: TurnDurations;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #answers = new Map<string, number>();
  #queue: ServedTurn[] = [];
  #changed = Promise.withResolvers<void>();

  /** Begins to serve. */
  constructor(durations: Partial<TurnDurations> = {}) {
    this.#durations = { ...SHORT, ...durations };
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => this.#answer(request),
    );
    this.url = `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Queues a turn. */
  queue(given: Partial<LeasedTurn> = {}): ServedTurn {
    const served = new ServedTurn(turnOf(given));
    this.turns.set(served.turn.turn_id, served);
    this.#queue.push(served);
    this.change();
    return served;
  }

  /** Lets whoever waits look again. */
  change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Resolves when a condition holds. @throws {Error} Not in two minutes. */
  async until(holds: () => boolean): Promise<void> {
    const deadline = performance.now() + 120_000;
    while (!holds()) {
      if (performance.now() > deadline) throw new Error(`Never: ${holds}`);
      await this.#wait(200);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isRevoked = true;
    this.change();
    await this.#server.shutdown();
  }

  async #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([this.#changed.promise, promise]);
    clearTimeout(timer);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.replace("/api/v1/runner/", "");
    const body = request.method === "POST" ? await request.json() : undefined;
    if (this.isRevoked) return refusal(401, "unauthorized");
    if (this.isAway) return refusal(503, "unavailable");
    const [, id, call = path] = /^turns\/(\d+)\/(\w+)$/.exec(path) ?? [];
    const answer = id === undefined
      ? await this.#answerRunner(call, body, request.signal)
      : await this.#answerTurn(Number(id), call, body, searchParams);
    this.change();
    const drops = this.dropAnswers.get(call) ?? 0;
    if (drops === 0) return answer;
    this.dropAnswers.set(call, drops - 1);
    return refusal(503, "unavailable");
  }

  async #answerRunner(
    call: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<Response> {
    if (call === "hello") {
      this.hellos.push(body as HelloRequest);
      const durations = this.#durations;
      return Response.json({ runner_id: 1, name: "test", durations });
    }
    const request = body as LeaseRequest;
    for (const receipt of request.done_commands ?? []) {
      this.receipts.push(receipt);
      this.runnerCommands = this.runnerCommands.filter(({ id }) =>
        id !== receipt.id
      );
    }
    const deadline = performance.now() + (request.wait_ms ?? 0);
    for (;;) {
      if (this.isRevoked) return refusal(401, "unauthorized");
      if (signal.aborted) return refusal(503, "gone");
      const known = this.#answers.get(request.request_id);
      const served = known !== undefined
        ? this.turns.get(known)
        : request.slots > 0
        ? this.#queue.shift()
        : undefined;
      const isOpen = served !== undefined || this.runnerCommands.length > 0;
      if (!isOpen && performance.now() < deadline) {
        await this.#wait(deadline - performance.now());
        continue;
      }
      if (served !== undefined) {
        this.#answers.set(request.request_id, served.turn.turn_id);
      }
      return Response.json({
        turn: served?.turn ?? null,
        commands: this.runnerCommands,
        is_draining: false,
      });
    }
  }

  async #answerTurn(
    id: number,
    call: string,
    body: unknown,
    query: URLSearchParams,
  ): Promise<Response> {
    const served = this.turns.get(id);
    const given = body as { lease_no?: number } | undefined;
    const leaseNo = given?.lease_no ?? Number(query.get("lease_no"));
    if (
      served === undefined || served.isLost || leaseNo !== served.turn.lease_no
    ) return refusal(409, "lease_lost");
    switch (call) {
      case "beat":
        served.beats.push(body as BeatRequest);
        return Response.json({
          commands: served.commands,
          has_called_mcp: served.hasCalledMcp,
        });
      case "commands": {
        const deadline = performance.now() + Number(query.get("wait_ms"));
        while (served.commands.length === 0 && performance.now() < deadline) {
          if (this.isRevoked || served.isLost || served.isOver) break;
          await this.#wait(deadline - performance.now());
        }
        return Response.json({ commands: served.commands });
      }
      case "events": {
        const { events } = body as EventsRequest;
        for (const event of events) {
          if (event.seq === served.events.length + 1) served.events.push(event);
        }
        return Response.json({ next_seq: served.events.length + 1 });
      }
      case "end": {
        const end = body as EndRequest;
        if (end.final_seq !== served.events.length) {
          return refusal(409, "events_missing");
        }
        served.ends.push(end);
        return Response.json({ session_status: "needs_input", next: "rests" });
      }
      case "release":
        served.released = body as ReleaseRequest;
        return Response.json({ session_status: "waiting", next: "retry" });
      default:
        return refusal(404, "not_found");
    }
  }
}

function refusal(status: number, error: string): Response {
  return Response.json({ error, message: error }, { status });
}
