/**
 * From the flat arguments of `store_memory` to an item.
 *
 * @module
 */
import type { Item, ItemMeta, Turn } from "../../../cortex/mod.ts";
import type { Kind, LearningKind, Node, Role } from "../../../cortex/words.ts";
import { ToolError } from "../../errors.ts";
import type { CallerMemory } from "./caller.ts";
import {
  MAX_META,
  MEMORY_KINDS,
  MEMORY_SOURCES,
  metaInput,
  TAGS_INPUT,
  textOf,
  textsOf,
  timeOf,
  wordOf,
} from "./view.ts";
import { stringArgument, type ToolArguments } from "../tool.ts";

/** What a learning may be. */
export const MEMORY_LEARNINGS = [
  "preference",
  "fact",
  "procedure",
  "correction",
  "other",
] as const satisfies readonly LearningKind[];

/** Longest text of an item, in characters. */
export const MAX_TEXT = 1_000_000;
/** Most turns of a conversation, as cortex has it. */
export const MAX_TURNS = 1_000;

const ROLES = [
  "user",
  "assistant",
  "system",
  "tool",
] as const satisfies readonly Role[];

/** Confidence of a learning that names none. */
const DEFAULT_CONFIDENCE = 0.8;

/** Schemas of what an item consists of. */
export const STORE_INPUTS = {
  kind: {
    type: "string",
    enum: [...MEMORY_KINDS],
    description: "What it is",
  },
  text: {
    type: "string",
    minLength: 1,
    maxLength: MAX_TEXT,
    description: "The statement of a learning, or the text of a document",
  },
  turns: {
    type: "array",
    minItems: 1,
    maxItems: MAX_TURNS,
    items: {
      type: "object",
      properties: {
        role: { type: "string", enum: [...ROLES] },
        text: { type: "string", minLength: 1, maxLength: MAX_TEXT },
        at: { type: "string", description: "When, ISO" },
        tools: {
          type: "array",
          items: { type: "string" },
          description: "Names of the tools called in it",
        },
      },
      required: ["role", "text"],
      additionalProperties: false,
    },
    description: "The turns of a conversation, oldest first",
  },
  title: metaInput("Title of a document"),
  mime: metaInput("Media type of a document, such as text/markdown"),
  learning_kind: {
    type: "string",
    enum: [...MEMORY_LEARNINGS],
    description: "What a learning is; fact when left out",
  },
  confidence: {
    type: "number",
    minimum: 0,
    maximum: 1,
    description: `How sure a learning is; ${DEFAULT_CONFIDENCE} when left out`,
  },
  evidence: {
    type: "string",
    minLength: 1,
    maxLength: MAX_TEXT,
    description: "What a learning rests on",
  },
  tags: { ...TAGS_INPUT, description: "Free words to find it by" },
  thread_id: metaInput(
    "Thread it belongs to; a conversation's is its session when left out",
  ),
  url: metaInput("Where it can be read"),
  repo: metaInput("Repository it is about"),
  commit: metaInput("Commit it is about"),
  file_path: metaInput("File it is about"),
  language: metaInput("Language of its text or code"),
  source_kind: {
    type: "string",
    enum: [...MEMORY_SOURCES],
    description: "Where it came from; agent when left out",
  },
  source_id: metaInput("Which source it came from"),
  observed_at: {
    type: "string",
    maxLength: MAX_META,
    description: "When it was so, ISO; now when left out",
  },
} as const;

/** Arguments that only one kind has, by kind. */
const OWN_ARGUMENTS: Readonly<Record<Kind, readonly string[]>> = {
  document: ["text", "title", "mime"],
  conversation: ["turns"],
  learning: ["text", "learning_kind", "confidence", "evidence"],
};

/** Builds the item. @throws {ToolError} Where arguments and kind do not fit. */
export function memoryItem(
  memory: CallerMemory,
  args: ToolArguments,
  node: Node,
): Item {
  const kind = wordOf(MEMORY_KINDS, args.kind) ?? "learning";
  refuseStrangers(kind, args);
  const meta = metaOf(memory, args, node);
  switch (kind) {
    case "document":
      return {
        kind,
        body: stringArgument(args, "text"),
        title: textOf(args, "title"),
        mime: textOf(args, "mime"),
        meta,
      };
    case "learning":
      return {
        kind,
        text: stringArgument(args, "text"),
        learningKind: wordOf(MEMORY_LEARNINGS, args.learning_kind) ?? "fact",
        confidence: Number(args.confidence ?? DEFAULT_CONFIDENCE),
        evidence: textOf(args, "evidence"),
        meta,
      };
    case "conversation": {
      // The same words in another session are another conversation.
      const threadId = meta.threadId ?? `session-${memory.sessionId}`;
      return { kind, turns: turnsOf(args), meta: { ...meta, threadId } };
    }
  }
}

function refuseStrangers(kind: Kind, args: ToolArguments): void {
  const own = OWN_ARGUMENTS[kind];
  for (const [other, names] of Object.entries(OWN_ARGUMENTS)) {
    const stranger = names.find((name) =>
      args[name] !== undefined && !own.includes(name)
    );
    if (stranger === undefined) continue;
    throw new ToolError(
      `A ${kind} has no ${stranger}, which belongs to a ${other}; it takes ${
        own.join(", ")
      }`,
    );
  }
}

function metaOf(
  { agent }: CallerMemory,
  args: ToolArguments,
  node: Node,
): ItemMeta {
  return {
    node,
    agentId: agent,
    tags: textsOf(args, "tags"),
    threadId: textOf(args, "thread_id"),
    url: textOf(args, "url"),
    repo: textOf(args, "repo"),
    commit: textOf(args, "commit"),
    filePath: textOf(args, "file_path"),
    language: textOf(args, "language"),
    source: {
      kind: wordOf(MEMORY_SOURCES, args.source_kind) ?? "agent",
      id: textOf(args, "source_id"),
    },
    observedAt: timeOf(args, "observed_at") ?? new Date().toISOString(),
  };
}

function turnsOf({ turns }: ToolArguments): readonly Turn[] {
  if (!Array.isArray(turns)) {
    throw new ToolError("Missing required argument: turns");
  }
  return turns.map((turn: ToolArguments) => ({
    role: wordOf(ROLES, turn.role) ?? "user",
    text: stringArgument(turn, "text"),
    at: timeOf(turn, "at"),
    toolCalls: textsOf(turn, "tools")?.map((name) => ({ name })),
  }));
}
