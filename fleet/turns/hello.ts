/**
 * How a runner and its server greet each other.
 *
 * @module
 */

/** How long things take, in milliseconds; the server says it to its runners. */
export interface TurnDurations {
  /** How long a lease holds without a beat. */
  readonly lease_ms: number;
  /** Between two beats. */
  readonly beat_ms: number;
  /** Without a good beat for so long, a runner asks the agent to stop. */
  readonly fence_interrupt_ms: number;
  /** Without a good beat for so long, a runner kills it. */
  readonly fence_kill_ms: number;
  /** From asking an agent to stop to SIGTERM. */
  readonly interrupt_ms: number;
  /** From SIGTERM to SIGKILL. */
  readonly terminate_ms: number;
  /** How long an agent may take to exit once its turn has ended. */
  readonly exit_ms: number;
  /** Silence after which an agent counts as hung. */
  readonly silence_ms: number;
  /** How long an agent may take to call the server's tools, once it runs. */
  readonly reach_ms: number;
  /** How long a turn without success waits for its next attempt, by attempt. */
  readonly retry_ms: readonly number[];
  /** Longest wait of a call that waits for work. */
  readonly poll_ms: number;
  /** Oldest event that was not sent yet. */
  readonly flush_ms: number;
}

/** What a runner can start. */
export interface RuntimeReport {
  /** Name of the profile, or `command`. */
  readonly name: string;
  /** Version of what was found; null where it says none. */
  readonly version: string | null;
  /** Models that it is known to take; empty means it is not known. */
  readonly models: readonly string[];
  /** State of its login. */
  readonly login: LoginReport;
}

/** Whom a runtime is logged in as. */
export interface LoginReport {
  /** The account's name for this runner; no secret. */
  readonly account: string | null;
  /** Whether a login was found. Only a turn shows that it works. */
  readonly state: "found" | "missing" | "unknown";
}

/** `POST /hello`: a runner comes up, or has something new to say. */
export interface HelloRequest {
  /** Names this start of the runner. */
  readonly boot_id: string;
  /** Version of the program. */
  readonly version: string;
  /** Turns at once. */
  readonly slots: number;
  /** What people sort runners by. */
  readonly labels: readonly string[];
  /** Operating system and processor. */
  readonly platform: string;
  /** Whether what an agent leaves behind is found and killed. */
  readonly has_sweep: boolean;
  /** What it can start. */
  readonly runtimes: readonly RuntimeReport[];
  /**
   * Whether it starts programs that a catalog of an address names. A runner of
   * an earlier version does not say, and counts as one that does not.
   */
  readonly trusts_catalogs?: boolean;
  /** Names of variables that it can put into entries of MCP servers. */
  readonly variables: readonly string[];
}

/** Answer to hello. */
export interface HelloAnswer {
  /** The runner's number. */
  readonly runner_id: number;
  /** What it is called. */
  readonly name: string;
  /** The durations that hold. */
  readonly durations: TurnDurations;
}
