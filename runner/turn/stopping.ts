/**
 * Makes an agent stop: asked first, then by SIGTERM, then by SIGKILL.
 *
 * @module
 */
import type {
  FailureClass,
  TurnCommand,
  TurnCommandReceipt,
  TurnDurations,
} from "../../fleet/turns/protocol.ts";
import type { RunningAgent } from "../agents/agent.ts";

/** Why an agent is made to stop. */
export type StopCause =
  /** Somebody asked for it. */
  | { readonly kind: "command"; readonly command: TurnCommand }
  /** The turn broke a rule. */
  | {
    readonly kind: "rule";
    readonly class: FailureClass;
    readonly detail: string;
  }
  /** The runner cannot reach its server: the lease may go. */
  | { readonly kind: "fence" }
  /** The runner stops. */
  | { readonly kind: "runner" }
  /** The lease is gone. */
  | { readonly kind: "lost"; readonly detail: string };

/** How far an agent had to be pushed. */
export type StopHow = Exclude<TurnCommandReceipt["how"], "void">;

/** Stops one agent, once. */
export class Stopping {
  readonly #agent: RunningAgent;
  readonly #durations: TurnDurations;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #how: StopHow = "asked";

  /** Asks at once. */
  constructor(agent: RunningAgent, durations: TurnDurations) {
    this.#agent = agent;
    this.#durations = durations;
    agent.interrupt();
    this.#timer = setTimeout(() => this.#terminate(), durations.interrupt_ms);
  }

  /** How far it went. */
  get how(): StopHow {
    return this.#how;
  }

  /** Kills it now. */
  kill(): void {
    clearTimeout(this.#timer);
    this.#how = "killed";
    // Its end is what everybody waits for; what fails here is seen there.
    void this.#agent.process?.sweep();
  }

  /** It has ended. */
  done(): void {
    clearTimeout(this.#timer);
  }

  #terminate(): void {
    this.#how = "terminated";
    this.#agent.process?.signal("SIGTERM");
    this.#timer = setTimeout(
      () => this.kill(),
      this.#durations.terminate_ms,
    );
  }
}
