/**
 * Whether an agent has reached the server's own tools, as the server says.
 *
 * An agent starts without the tools that it cannot reach, and mostly says
 * nothing of it: it works on, and what it should have kept is gone.
 * Specification: docs/spec/runner.md section 7.
 *
 * @module
 */
import type { EndRequest, FailureClass } from "../../fleet/turns/protocol.ts";
import type { Clocks } from "./fence.ts";

/** How a turn ended. */
type Outcome = Pick<EndRequest, "outcome" | "class" | "detail">;

/** Classes that name no cause of their own. */
const VAGUE: readonly (FailureClass | null)[] = [
  "agent_error",
  "crashed",
  "hung",
];

/** What is known of one turn. Told by beats; it has no timer of its own. */
export class Reach {
  readonly #clocks: Clocks;
  readonly #limitMs: number | undefined;
  readonly #server: string;
  #say: (text: string) => void = () => {};
  #begunAt: number | undefined;
  #hasCalled = false;
  #isMissed = false;

  /** Without a limit, in milliseconds, nothing is expected of the agent. */
  constructor(
    clocks: Clocks,
    { limitMs, server }: {
      readonly limitMs: number | undefined;
      readonly server: string;
    },
  ) {
    this.#clocks = clocks;
    this.#limitMs = limitMs;
    this.#server = server;
  }

  /** Whether the agent had its time, and is not known to have called. */
  get isDue(): boolean {
    return this.#isLate(this.#clocks.monotonic()) && !this.#hasCalled;
  }

  /** The agent runs; `say` takes a line of the transcript. */
  begin(say: (text: string) => void): void {
    this.#begunAt ??= this.#clocks.monotonic();
    this.#say = say;
  }

  /** A beat that was sent then, on the monotonic clock, was answered so. */
  hear(hasCalled: boolean, sentAt: number): void {
    this.#hasCalled = hasCalled;
    if (hasCalled) {
      if (this.#isMissed) this.#say("The agent has reached Rootcellar's tools");
      this.#isMissed = false;
      return;
    }
    if (this.#isMissed || !this.#isLate(sentAt)) return;
    this.#isMissed = true;
    this.#say(`mcp_unreachable: ${this.#words()}`);
  }

  /** Nothing is said any more. */
  end(): void {
    this.#say = () => {};
  }

  /** The outcome of a turn that failed for want of the tools names that. */
  judge(outcome: Outcome): Outcome {
    const isSo = this.#isMissed && outcome.outcome === "failed" &&
      VAGUE.includes(outcome.class);
    return isSo
      ? {
        outcome: "failed",
        class: "mcp_unreachable",
        detail:
          `${this.#words()}. It ended as ${outcome.class}: ${outcome.detail}`,
      }
      : outcome;
  }

  #isLate(at: number): boolean {
    return this.#limitMs !== undefined && this.#begunAt !== undefined &&
      at - this.#begunAt >= this.#limitMs;
  }

  #words(): string {
    return `the agent did not call Rootcellar's tools at ${this.#server} within ${this.#limitMs} ms of its start; look at --server of the runner, proxies and firewalls`;
  }
}
