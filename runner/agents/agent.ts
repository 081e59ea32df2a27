/**
 * What an agent is to the rest of the runner, whatever it speaks.
 *
 * @module
 */
import type {
  FailureClass,
  LeasedTurn,
  LoginLimits,
  McpServerOrder,
  TurnDurations,
  TurnEventKind,
  TurnOutcome,
  UsageReport,
} from "../../fleet/turns/protocol.ts";
import type { HomeFile } from "./acp/profile.ts";
import type { HookForm, ToldHooks } from "./hooks.ts";
import type { AgentProcess, AgentProgram } from "../process/agent_process.ts";

/** An MCP server with everything resolved. */
export type McpServer = Pick<
  McpServerOrder,
  "name" | "type" | "url" | "headers" | "command" | "env"
>;

/** What an agent is started with, and where it reports to. */
export interface AgentTask {
  /** The turn. */
  readonly turn: LeasedTurn;
  /** Its working folder. */
  readonly cwd: string;
  /** Environment, without the marker. */
  readonly env: Readonly<Record<string, string>>;
  /** The whole address of the server's MCP endpoint. */
  readonly mcpUrl: string;
  /** Other MCP servers. */
  readonly mcpServers: readonly McpServer[];
  /** What tells it of its hooks; its files lie where they have to. */
  readonly toldHooks: ToldHooks;
  /** The session's own folder on this runner, for what outlives a turn. */
  readonly stateFolder: string;
  /** How long things may take. */
  readonly durations: TurnDurations;
  /** Starts a program as this turn's. @throws {SpawnError} */
  start(program: Pick<AgentProgram, "argv" | "env">): AgentProcess;
  /** Notes an event. */
  emit(
    kind: TurnEventKind,
    payload: Readonly<Record<string, unknown>>,
  ): void;
  /** Resolves at once, or when the disk has caught up. */
  ready(): Promise<void>;
  /**
   * The process runs. Resolves when the server knows, and rejects when the
   * turn is not ours any more: then nothing may be written to the agent.
   */
  spawned(agent: AgentProcess): Promise<void>;
  /** The agent has the message. */
  delivered(): void;
  /** The agent has said how its work ended; it may still have to exit. */
  settled(): void;
  /** The conversation is called so. */
  named(conversationId: string): void;
}

/** How an agent's work ended. */
export interface AgentEnd {
  /** How. */
  readonly outcome: Exclude<TurnOutcome, "lost">;
  /** Why not well. */
  readonly class: FailureClass | null;
  /** The same for people. */
  readonly detail: string;
  /** How long it is to be left alone. */
  readonly parkedMs: number | null;
  /** What was used. */
  readonly usage: readonly UsageReport[];
  /** What the login's limits are. */
  readonly limits: LoginLimits | null;
}

/** An agent at work. */
export interface RunningAgent {
  /** Resolves with its end; never rejects but with `LeaseLostError`. */
  readonly ended: Promise<AgentEnd>;
  /** Asks it to stop. */
  interrupt(): void;
  /** Whether it waits for a tool: its silence then says nothing. */
  isBusy(): boolean;
  /** Its process; undefined before there is one. */
  readonly process: AgentProcess | undefined;
}

/** Something that carries out turns. */
export interface Runtime {
  /** Its name. */
  readonly name: string;
  /** Variables of the runner that it needs. */
  readonly variables: readonly string[];
  /** Where it looks for skills below its working folder; null has none. */
  readonly skillsFolder: string | null;
  /** How it takes hooks; null takes none. */
  readonly hooks: HookForm | null;
  /** Files that it needs in the agents' home. @default {none} */
  readonly homeFiles?: readonly HomeFile[];
  /** Whether it calls the server's tools by itself, as soon as it runs. */
  readonly callsServer: boolean;
  /** Starts to carry out a turn. */
  run(task: AgentTask): RunningAgent;
}

/** An end with nothing special about it. */
export function agentEnd(
  outcome: AgentEnd["outcome"],
  rest: Partial<Omit<AgentEnd, "outcome">> = {},
): AgentEnd {
  return {
    outcome,
    class: null,
    detail: "",
    parkedMs: null,
    usage: [],
    limits: null,
    ...rest,
  };
}
