/**
 * An agent that speaks the Agent Client Protocol, version 1, for one turn.
 *
 * The turn's end is an event of its own here, not the answer to the prompt, so
 * that version 2 is another mapping and no other design.
 * Specification: docs/spec/runner.md section 7.
 *
 * @module
 */
import type { FailureClass } from "../../../fleet/turns/protocol.ts";
import { type AgentProcess, SpawnError } from "../../process/agent_process.ts";
import {
  type AgentEnd,
  agentEnd,
  type AgentTask,
  type RunningAgent,
} from "../agent.ts";
import {
  askPeople,
  type PeopleAnswer,
  type PeopleQuestion,
} from "../../server/questions.ts";
import { spentSince } from "./cost.ts";
import { type Conversation, openConversation } from "./conversation.ts";
import { failureOf } from "./failure.ts";
import { isJson, type Json, jsonAt, methodNotFound, Peer } from "./peer.ts";
import { answerPermission, CANCELLED, decidePermission } from "./permission.ts";
import type { Profile, UsageSource } from "./profile.ts";
import { eventOf, ToolCalls } from "./updates.ts";
import { unknownUsage } from "./usage.ts";

/** How an agent is started on this machine. */
export interface AcpLaunch {
  /** The agent. */
  readonly profile: Profile;
  /** Program and arguments, whole. */
  readonly argv: readonly string[];
}

const MAX_DETAIL_CHARACTERS = 1_000;
const MAX_NOISE_CHARACTERS = 2_000;
const MAX_TITLE_CHARACTERS = 200;
const MAX_CONTEXT_CHARACTERS = 5_000;

/** What ended the prompt that is neither success nor an error. */
const CLASS_OF_STOP: Readonly<Record<string, FailureClass>> = {
  refusal: "refused",
};

/** Starts the agent, and carries out the task. */
export class AcpAgent implements RunningAgent {
  readonly ended: Promise<AgentEnd>;
  process: AgentProcess | undefined;
  readonly #task: AgentTask;
  readonly #launch: AcpLaunch;
  readonly #peer: Peer;
  readonly #calls = new ToolCalls();
  readonly #openQuestions = new Set<AbortController>();
  #updates: Json[] = [];
  #raw: Json[] = [];
  #conversation: Conversation | undefined;
  #isPrompted = false;
  #isCancelled = false;

  constructor(task: AgentTask, launch: AcpLaunch) {
    this.#task = task;
    this.#launch = launch;
    this.#peer = new Peer({
      write: async (line) => await this.process?.write(line),
      onRequest: (method, params) => this.#answer(method, params),
      onNotification: (method, params) => this.#hear(method, params),
      onNoise: (line) =>
        task.emit("raw", { noise: line.slice(0, MAX_NOISE_CHARACTERS) }),
    });
    this.ended = this.#run();
  }

  interrupt(): void {
    this.#isCancelled = true;
    this.#dropQuestions();
    if (this.#conversation === undefined || !this.#isPrompted) {
      // Nothing was asked yet: there is nothing that it could lose.
      this.process?.signal("SIGTERM");
      return;
    }
    void this.#peer.notify("session/cancel", {
      sessionId: this.#conversation.id,
    });
  }

  isBusy(): boolean {
    return this.#calls.isRunning || this.#openQuestions.size > 0;
  }

  async #run(): Promise<AgentEnd> {
    const { profile, argv } = this.#launch;
    const { turn, toldHooks } = this.#task;
    try {
      this.process = this.#task.start({
        argv,
        env: {
          ...profile.env(turn.permission),
          ...toldHooks.env,
          ...(profile.expandsVariables ? { ROOTCELLAR_TOKEN: turn.token } : {}),
        },
      });
    } catch (error) {
      if (!(error instanceof SpawnError)) throw error;
      return agentEnd("failed", {
        class: "runtime_unavailable",
        detail: error.message,
      });
    }
    const process = this.process;
    const reading = this.#read(process);
    const known = this.#task.spawned(process);
    known.catch(() => {}); // Awaited before the prompt.
    try {
      const conversation = await openConversation(this.#peer, {
        profile,
        task: this.#task,
      });
      this.#conversation = conversation;
      await known;
      const end = await this.#prompt(conversation);
      this.#task.settled();
      await this.#close(process, conversation);
      return end;
    } catch (error) {
      return this.#broken(process, error);
    } finally {
      this.#dropQuestions();
      await process.closeInput();
      await this.#exit(process);
      await process.sweep();
      await reading;
    }
  }

  async #prompt(conversation: Conversation): Promise<AgentEnd> {
    const answer = this.#peer.request("session/prompt", {
      sessionId: conversation.id,
      prompt: conversation.promptBlocks,
    });
    this.#isPrompted = true;
    this.#task.delivered();
    let result: Json;
    try {
      result = await answer;
    } catch (error) {
      return {
        ...this.#broken(this.process, error),
        usage: [unknownUsage(this.#usageSource(undefined))],
      };
    }
    const usage = await this.#usage(result);
    const limits = this.#launch.profile.readLimits(this.#raw, Date.now());
    const stop = String(result.stopReason);
    if (stop === "end_turn") return agentEnd("done", { usage, limits });
    if (stop === "cancelled") {
      return agentEnd("interrupted", { usage, limits });
    }
    return agentEnd("failed", {
      class: CLASS_OF_STOP[stop] ?? "agent_error",
      detail: `The agent stopped for "${stop.slice(0, 100)}"`,
      usage,
      limits,
    });
  }

  /** The end of a turn in which something did not work. */
  #broken(process: AgentProcess | undefined, error: unknown): AgentEnd {
    const limits = this.#launch.profile.readLimits(this.#raw, Date.now());
    const rejectedMs = limits?.rejected_for_ms ?? null;
    const kind = rejectedMs === null ? failureOf(error) : "usage_limit";
    const words = error instanceof Error ? error.message : String(error);
    const last = process?.lastWords.join("\n").slice(-MAX_DETAIL_CHARACTERS)
      .toWellFormed();
    const detail = kind === "crashed" && last !== undefined && last !== ""
      ? `${words}; its last words: ${last}`
      : words.slice(0, MAX_DETAIL_CHARACTERS).toWellFormed();
    return kind === "usage_limit"
      ? agentEnd("parked", {
        class: kind,
        detail,
        parkedMs: rejectedMs,
        limits,
      })
      : agentEnd("failed", { class: kind, detail, limits });
  }

  #usageSource(result: Json | undefined): UsageSource {
    const { turn } = this.#task;
    const id = this.#conversation?.id ?? "none";
    return {
      key: `${id}:${turn.turn_id}.${turn.lease_no}`,
      result,
      updates: this.#updates,
      raw: this.#raw,
      model: this.#conversation?.model ?? turn.model,
    };
  }

  async #usage(result: Json): Promise<AgentEnd["usage"]> {
    const source = this.#usageSource(result);
    const rows = this.#launch.profile.readUsage(source);
    const cost = this.#updates.findLast(({ cost }) => cost !== undefined);
    const { amount, currency } = jsonAt(cost, "cost");
    const [first, ...rest] = rows;
    if (
      first === undefined || typeof amount !== "number" || currency !== "USD"
    ) return rows;
    const spent = await spentSince(this.#task.stateFolder, {
      conversationId: this.#conversation?.id ?? "none",
      total: amount,
    });
    return [{ ...first, reported_usd: spent }, ...rest];
  }

  async #close(process: AgentProcess, { id, canClose }: Conversation): Promise<
    void
  > {
    if (!canClose) return;
    const closing = this.#peer.request("session/close", { sessionId: id })
      .catch(() => {});
    await Promise.race([closing, process.status]);
  }

  /** A while for its exit. */
  async #exit(process: AgentProcess): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#task.durations.exit_ms);
    await Promise.race([process.status, promise]);
    clearTimeout(timer);
  }

  async #read(process: AgentProcess): Promise<void> {
    for await (const { text, isCut, bytes } of process.lines) {
      if (isCut) {
        this.#task.emit("notice", {
          text: `A message of ${bytes} bytes was too long to be read`,
        });
      } else this.#peer.take(text);
      await this.#task.ready();
    }
    const { code, signal } = await process.status;
    this.#peer.close(
      `The agent ended in the middle, ${
        signal === null ? `with exit code ${code}` : `by ${signal}`
      }`,
    );
  }

  #hear(method: string, params: Json): void {
    if (method === "session/update") {
      const update = jsonAt(params, "update");
      // What comes before is what it said in earlier turns.
      if (!this.#isPrompted) return;
      this.#calls.take(update);
      if (
        update.sessionUpdate === "usage_update" ||
        jsonAt(update, "_meta").usage !== undefined
      ) this.#updates.push(update);
      const event = eventOf(update);
      if (event !== undefined) this.#task.emit(event.kind, event.payload);
      return;
    }
    const message = jsonAt(params, "message");
    if (Object.keys(message).length > 0) this.#raw.push(message);
    this.#task.emit("raw", { method, ...params });
  }

  async #answer(method: string, params: Json): Promise<unknown> {
    switch (method) {
      case "session/request_permission":
        return await this.#answerPermission(params);
      case "elicitation/create":
        return await this.#answerForm(params);
      default:
        throw methodNotFound(method);
    }
  }

  async #answerPermission(params: Json): Promise<Json> {
    if (this.#isCancelled) return CANCELLED;
    const request = { ...params };
    const toolCall = jsonAt(params, "toolCall");
    const known = this.#calls.get(toolCall.toolCallId);
    const { permission } = this.#task.turn;
    const title = String(toolCall.title ?? known.title ?? "a tool")
      .slice(0, MAX_TITLE_CHARACTERS);
    const decided = decidePermission({
      permission,
      isOwn: this.#launch.profile.isOwnTool({ request, known }),
      kind: toolCall.kind ?? known.kind,
    });
    const said = decided === "ask"
      ? await this.#ask({
        message: `May the agent use "${title}"?`,
        requested_schema: { type: "object", properties: {} },
        tool_name: title,
        context: JSON.stringify(toolCall.rawInput ?? known.rawInput ?? {})
          .slice(0, MAX_CONTEXT_CHARACTERS).toWellFormed(),
      })
      : undefined;
    if (this.#isCancelled) return CANCELLED;
    const { result, isAllowed } = answerPermission(
      said === undefined ? decided === true : said.action === "accept",
      params.options,
    );
    this.#task.emit("notice", {
      text: `${isAllowed ? "Allowed" : "Refused"} ${title}, ${
        said === undefined
          ? `by permission "${permission}"`
          : `people said: ${said.action}`
      }`,
      tool_call_id: toolCall.toolCallId,
    });
    return result;
  }

  async #answerForm(params: Json): Promise<Json> {
    const { message, mode, requestedSchema } = params;
    const { action, content } = mode !== undefined && mode !== "form"
      ? { action: "decline", content: null }
      : await this.#ask({
        message: String(message).slice(0, MAX_CONTEXT_CHARACTERS)
          .toWellFormed(),
        requested_schema: isJson(requestedSchema) ? requestedSchema : {},
      });
    this.#task.emit("question", { ...params, answer: action });
    return action === "accept" ? { action, content } : { action };
  }

  async #ask(question: PeopleQuestion): Promise<PeopleAnswer> {
    const { turn, mcpUrl } = this.#task;
    const open = new AbortController();
    this.#openQuestions.add(open);
    try {
      return await askPeople(
        {
          server: new URL(mcpUrl).origin,
          token: turn.token,
          sessionId: turn.session_id,
        },
        question,
        open.signal,
      );
    } finally {
      this.#openQuestions.delete(open);
    }
  }

  /** Nobody waits for their answers any more. */
  #dropQuestions(): void {
    for (const open of this.#openQuestions) open.abort();
  }
}
