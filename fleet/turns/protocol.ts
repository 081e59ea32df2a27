/**
 * What runners and servers say to each other, under `/api/v1/runner`. Types
 * only: a runner takes these from here and nothing else of the program.
 *
 * Every call of a turn carries its `lease_no`. A number that is no longer the
 * turn's changes nothing and is answered with 409 `lease_lost`. Times are
 * durations in milliseconds, never instants: a runner's clock is not asked.
 * Specification: docs/spec/runner.md section 2.
 *
 * @module
 */
import type { LeasedTurn } from "./leased_turn.ts";

export type {
  HelloAnswer,
  HelloRequest,
  LoginReport,
  RuntimeReport,
  TurnDurations,
} from "./hello.ts";
export type {
  ArtifactAnswer,
  FileOrder,
  HookOrder,
  LeasedTurn,
  McpServerOrder,
  SkillOrder,
  TreeOrder,
} from "./leased_turn.ts";

/** How a turn ended. */
export type TurnOutcome =
  /** The agent said that it is done. */
  | "done"
  /** It did not work; `class` says why. */
  | "failed"
  /** Somebody interrupted it. */
  | "interrupted"
  /** It waits for its time, without having used an attempt. */
  | "parked"
  /** Its process or its runner went away. */
  | "lost";

/** Why a turn did not succeed. */
export type FailureClass =
  // Tried again.
  | "overloaded"
  | "hung"
  | "crashed"
  | "lost"
  // Waits.
  | "usage_limit"
  | "asked_to_wait"
  // For people.
  | "agent_error"
  | "auth_required"
  | "oauth_required"
  | "billing"
  | "clone_refused"
  | "command_untrusted"
  | "disk_full"
  | "git_missing"
  | "mcp_unreachable"
  | "model_unavailable"
  | "over_memory"
  | "over_processes"
  | "refused"
  | "runtime_unavailable"
  | "too_long"
  | "tree_broken";

/** How far a turn has come. */
export type TurnPhase =
  | "queued"
  | "leased"
  /** Its process runs; the prompt has not been written. */
  | "spawned"
  /** The agent has the message. */
  | "delivered"
  | "ended";

/** What a turn is for. */
export type TurnKind = "start" | "message" | "wake" | "recovery" | "summary";

/** What a login's limits are, as an agent reported them. */
export interface LoginLimits {
  /** Limits by the vendor's name for the window. */
  readonly windows: readonly LimitWindow[];
  /** The login is refused until then; null where it is not. */
  readonly rejected_for_ms: number | null;
}

/** One window of a limit. */
export interface LimitWindow {
  /** `five_hour`, `seven_day`, or another. */
  readonly name: string;
  /** 0 to 1, and beyond where it is overdrawn; null where it is not known. */
  readonly utilization: number | null;
  /** Until it begins anew; null where it is not known. */
  readonly resets_in_ms: number | null;
}

/** `POST /lease`: asks for a turn. */
export interface LeaseRequest {
  /** 32 random bytes or more; asking again with it gets the same answer. */
  readonly request_id: string;
  /** Turns that it could take now; 0 fetches commands only. */
  readonly slots: number;
  /** Names of runtimes that it offers now. */
  readonly runtimes: readonly string[];
  /**
   * The turns that it works on. One that it had leased and does not name was
   * lost on its way, or with an earlier start of it.
   */
  readonly turns_here: readonly number[];
  /** Acknowledged commands of the runner. */
  readonly done_commands?: readonly RunnerCommandReceipt[];
  /** How long to wait for one, in milliseconds. */
  readonly wait_ms?: number;
}

/** Answer to lease. */
export interface LeaseAnswer {
  /** The turn; null where there was none. */
  readonly turn: LeasedTurn | null;
  /** What else the runner is to do. */
  readonly commands: readonly RunnerCommand[];
  /** Whether it is to take no more turns. */
  readonly is_draining: boolean;
}

/** What a runner does beside turns. */
export interface RunnerCommand {
  /** Its number. */
  readonly id: number;
  /** What to do. */
  readonly kind: "remove_tree" | "save_bundle" | "say_hello" | "clean_up";
  /** Whose tree. */
  readonly session_id: number | null;
}

/** What came of a command. */
export interface RunnerCommandReceipt {
  /** Its number. */
  readonly id: number;
  /** Whether it was done. */
  readonly ok: boolean;
  /** What happened, for people. */
  readonly detail: string;
}

/** Which process carries out a turn. */
export interface ProcessIdentity {
  /** Process id. */
  readonly pid: number;
  /** When it began, as its system counts; null where it does not say. */
  readonly start_time: string | null;
  /** Start of its machine; null where it does not say. */
  readonly boot_id: string | null;
}

/** `POST /turns/{turn}/beat`: it is still being worked on. */
export interface BeatRequest {
  /** The lease. */
  readonly lease_no: number;
  /** How far it has come. */
  readonly phase: TurnPhase;
  /** The agent's process; null before there is one. */
  readonly process: ProcessIdentity | null;
  /** Last event that was made; 0 is none. */
  readonly last_seq: number;
  /** The conversation, once the agent has named it. */
  readonly conversation_id: string | null;
}

/** Answer to waiting for commands. */
export interface TurnOrders {
  /** What to do with the turn. */
  readonly commands: readonly TurnCommand[];
}

/** Answer to a beat. */
export interface BeatAnswer extends TurnOrders {
  /** Whether the agent has called the server's MCP endpoint in this turn. */
  readonly has_called_mcp: boolean;
}

/** What is to happen to a running turn. */
export interface TurnCommand {
  /** Its number. */
  readonly id: number;
  /** `stop` rests the session, `interrupt` lets another message go first. */
  readonly kind: "interrupt" | "stop";
}

/** What kinds of events a turn has. */
export type TurnEventKind =
  /** The agent's process began; the prompt has not been written. */
  | "spawned"
  /** The agent has the message. */
  | "delivered"
  /** The conversation got its name. */
  | "conversation"
  /** Words of the agent. */
  | "text"
  /** What it thought. */
  | "thought"
  /** A tool is called, or what is known of a call has changed. */
  | "tool"
  /** Steps that it plans. */
  | "plan"
  /** It asks somebody. */
  | "question"
  /** Something to know: left out, refused, cut, begun anew. */
  | "notice"
  /** What it wrote to its standard error. */
  | "stderr"
  /** Figures of its use. */
  | "usage"
  /** Anything else that it said, as it came. */
  | "raw"
  /** The turn is over. */
  | "ended";

/** One event of a turn. */
export interface TurnEvent {
  /** 1 for the first, and no gaps. */
  readonly seq: number;
  /** Since the turn was leased, in milliseconds. */
  readonly after_ms: number;
  /** What kind. */
  readonly kind: TurnEventKind;
  /** What it says, by its kind. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** `POST /turns/{turn}/events`: what happened; sending twice changes nothing. */
export interface EventsRequest {
  /** The lease. */
  readonly lease_no: number;
  /** `seq` of the first. */
  readonly first_seq: number;
  /** Without gaps. */
  readonly events: readonly TurnEvent[];
}

/** Answer to events. */
export interface EventsAnswer {
  /** The `seq` that is expected next: all below it is kept. */
  readonly next_seq: number;
}

/** Use of a model, as far as the agent reports it. Unknown is null, not 0. */
export interface UsageReport {
  /** Names what was counted: reporting it twice counts it once. */
  readonly request_key: string;
  /** The model; null where the agent does not say. */
  readonly model: string | null;
  /** Without what came from the cache. */
  readonly input_tokens: number | null;
  /** Thinking among them. */
  readonly output_tokens: number | null;
  /** Read from the cache. */
  readonly cache_read_tokens: number | null;
  /** Written to the cache. */
  readonly cache_write_tokens: number | null;
  /** What the agent says it cost, in US dollars. */
  readonly reported_usd: number | null;
  /** Whether it may leave something out. */
  readonly is_partial: boolean;
}

/** What a turn left in its tree. Null where no git was run. */
export interface GitReport {
  /** Commit before. */
  readonly before: string | null;
  /** Commit after. */
  readonly after: string | null;
  /** Branch after. */
  readonly branch: string | null;
  /** Files that are not committed, at most 100. */
  readonly dirty: readonly string[];
  /** How many there are. */
  readonly dirty_count: number;
  /** Commits that are on no remote branch. */
  readonly unpushed: number;
}

/** `POST /turns/{turn}/end`: it is over; repeating it gets the same receipt. */
export interface EndRequest {
  /** The lease. */
  readonly lease_no: number;
  /** Last event. */
  readonly final_seq: number;
  /** How it ended. */
  readonly outcome: TurnOutcome;
  /** Why; null for success and interruption. */
  readonly class: FailureClass | null;
  /** The same for people: what happened, and what to do. */
  readonly detail: string;
  /** How long it is parked; null where it is not, or not known. */
  readonly parked_ms: number | null;
  /** The conversation; null where it has none. */
  readonly conversation_id: string | null;
  /** Its use. */
  readonly usage: readonly UsageReport[];
  /** What is in its tree. */
  readonly git: GitReport | null;
  /** Processes that it left behind and that were killed. */
  readonly killed_leftovers: number;
  /** Commands that were carried out, and how. */
  readonly commands: readonly TurnCommandReceipt[];
  /** Limits of its login, where the agent told them. */
  readonly limits: LoginLimits | null;
}

/** What came of an interrupt. */
export interface TurnCommandReceipt {
  /** Number of the command. */
  readonly id: number;
  /** `asked` stopped by itself; the others needed a signal. */
  readonly how: "asked" | "terminated" | "killed" | "void";
  /** How long it took. */
  readonly after_ms: number;
}

/** Answer to the end of a turn. */
export interface EndAnswer {
  /** What became of the session, for the log. */
  readonly session_status: string;
  /** What comes next, for the log: `rests`, `next_message`, `retry`, … */
  readonly next: string;
}

/** `POST /turns/{turn}/release`: gives it back as lost. */
export interface ReleaseRequest {
  /** The lease. */
  readonly lease_no: number;
  /** Why. */
  readonly detail: string;
}
