/**
 * What an agent tells while it works, as events of its turn.
 *
 * @module
 */
import type { TurnEventKind } from "../../../fleet/turns/protocol.ts";
import { isJson, type Json, jsonAt } from "./peer.ts";

/** An event that an update is kept as; undefined where it is left out. */
export interface UpdateEvent {
  /** Its kind. */
  readonly kind: TurnEventKind;
  /** What it says. */
  readonly payload: Json;
}

const KIND_OF_UPDATE: Readonly<Record<string, TurnEventKind>> = {
  agent_message_chunk: "text",
  agent_thought_chunk: "thought",
  tool_call: "tool",
  tool_call_update: "tool",
  plan: "plan",
  notice: "notice",
  usage_update: "usage",
};

/** Large, and of no use to anybody who reads. */
const DROPPED = ["available_commands_update"];

/** The event of an update. */
export function eventOf(update: Json): UpdateEvent | undefined {
  const name = String(update.sessionUpdate);
  if (DROPPED.includes(name)) return undefined;
  const kind = KIND_OF_UPDATE[name] ?? "raw";
  const { sessionUpdate: _, ...rest } = update;
  if (kind === "text" || kind === "thought") {
    const { type, text } = jsonAt(update, "content");
    // Qwen tells its use in a chunk without words.
    if (text === "") return undefined;
    return {
      kind,
      payload: type === "text"
        ? {
          text,
          ...(rest.messageId === undefined
            ? {}
            : { message_id: rest.messageId }),
        }
        : { content: rest.content },
    };
  }
  if (kind === "notice") {
    const { title, description } = rest;
    const text = [title, description].filter((part) =>
      typeof part === "string" && part !== ""
    ).join(": ");
    return { kind, payload: { ...rest, text } };
  }
  return { kind, payload: kind === "raw" ? update : rest };
}

/** Joins what is known of tool calls, and which of them are not over. */
export class ToolCalls {
  readonly #calls = new Map<string, Json>();

  /** Takes an update. */
  take(update: Json): void {
    const { toolCallId, sessionUpdate } = update;
    if (!String(sessionUpdate).startsWith("tool_call")) return;
    const id = String(toolCallId);
    this.#calls.set(id, { ...this.#calls.get(id), ...update });
  }

  /** What is known of one. */
  get(id: unknown): Json {
    const call = this.#calls.get(String(id));
    return isJson(call) ? call : {};
  }

  /** Whether one is under way. */
  get isRunning(): boolean {
    return [...this.#calls.values()].some(({ status }) =>
      status === "pending" || status === "in_progress"
    );
  }
}
