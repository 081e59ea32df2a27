/**
 * The runtime `command`: any program, by a small contract.
 *
 * The prompt comes on standard input, which is then closed: that delivers it.
 * Each line of its output is an event. Its exit code is the end: 0 done, 75
 * try again later, anything else failed.
 * Specification: docs/spec/runner.md section 7.
 *
 * @module
 */
import { type AgentProcess, SpawnError } from "../process/agent_process.ts";
import {
  type AgentEnd,
  agentEnd,
  type AgentTask,
  type RunningAgent,
  type Runtime,
} from "./agent.ts";

/** Exit code that asks for another try later. */
const TRY_LATER_CODE = 75;
const TRY_LATER_MS = 60_000;
const MAX_DETAIL_CHARACTERS = 1_000;

/** The runtime; `own` is the runner's command, which wins over a root's. */
export function commandRuntime(
  own: readonly string[] | undefined,
  { trustsCatalogs }: { readonly trustsCatalogs: boolean },
): Runtime {
  return {
    name: "command",
    variables: [],
    skillsFolder: null,
    hooks: null,
    callsServer: false,
    run(task) {
      const { command, is_trusted } = task.turn;
      if (own !== undefined) return new RunningCommand(task, own);
      if (command === null || command.length === 0) {
        return refused(
          "runtime_unavailable",
          "There is no command: neither RUNNER_COMMAND of the runner nor `command` of the agent root is set",
        );
      }
      return is_trusted || trustsCatalogs
        ? new RunningCommand(task, command)
        : refused(
          "command_untrusted",
          "The catalog names a command, and comes from an address: this runner runs it only with RUNNER_TRUST_CATALOG=on, or its own RUNNER_COMMAND",
        );
    },
  };
}

function refused(
  why: "runtime_unavailable" | "command_untrusted",
  detail: string,
): RunningAgent {
  return {
    ended: Promise.resolve(agentEnd("failed", { class: why, detail })),
    interrupt() {},
    isBusy: () => false,
    process: undefined,
  };
}

class RunningCommand implements RunningAgent {
  readonly ended: Promise<AgentEnd>;
  process: AgentProcess | undefined;

  constructor(task: AgentTask, argv: readonly string[]) {
    this.ended = this.#run(task, argv);
  }

  interrupt(): void {
    this.process?.signal("SIGINT");
  }

  isBusy(): boolean {
    return false;
  }

  async #run(task: AgentTask, argv: readonly string[]): Promise<AgentEnd> {
    const { turn, mcpUrl } = task;
    let process: AgentProcess;
    try {
      process = task.start({
        argv,
        env: {
          ROOTCELLAR_URL: mcpUrl,
          ROOTCELLAR_TOKEN: turn.token,
          ROOTCELLAR_SESSION: String(turn.session_id),
        },
      });
    } catch (error) {
      if (!(error instanceof SpawnError)) throw error;
      return agentEnd("failed", {
        class: "runtime_unavailable",
        detail: error.message,
      });
    }
    this.process = process;
    const reading = this.#read(process, task);
    await task.spawned(process);
    // A program may exit without having read it.
    await process.write(promptOf(task)).catch(() => {});
    await process.closeInput();
    task.delivered();
    const [status] = await Promise.all([process.status, reading]);
    return endOf(status, process.lastWords);
  }

  async #read(process: AgentProcess, task: AgentTask): Promise<void> {
    for await (const { text, bytes, isCut } of process.lines) {
      task.emit("text", isCut ? { text, cut_from_bytes: bytes } : { text });
      await task.ready();
    }
  }
}

function promptOf({ turn }: AgentTask): string {
  const parts = [turn.cause, turn.prompt].filter((part) => part !== null);
  return parts.join("\n\n");
}

function endOf(
  { code, signal, success }: Deno.CommandStatus,
  lastWords: readonly string[],
): AgentEnd {
  if (success) return agentEnd("done");
  const words = lastWords.join("\n").slice(-MAX_DETAIL_CHARACTERS)
    .toWellFormed();
  if (code === TRY_LATER_CODE && signal === null) {
    return agentEnd("parked", {
      class: "asked_to_wait",
      detail: `The command asked to be run again later (exit code 75). ${words}`
        .trim(),
      parkedMs: TRY_LATER_MS,
    });
  }
  // Ended from outside: nothing about its task is known to have failed.
  if (signal !== null) {
    return agentEnd("failed", {
      class: "crashed",
      detail: `The command was ended by ${signal}. ${words}`.trim(),
    });
  }
  return agentEnd("failed", {
    class: "agent_error",
    detail: `The command ended with exit code ${code}. ${words}`.trim(),
  });
}
