/**
 * From the flat arguments of `store_memory` to an item.
 *
 * @module
 */
import {
  isItemId,
  type ItemId,
  type Kind,
  KINDS,
  LEARNING_KINDS,
  MAX_META_CHARACTERS,
  MAX_REPLACED,
  MAX_TEXT_CHARACTERS,
  MAX_TURNS,
  type Node,
  ROLES,
  SOURCE_KINDS,
} from "../../../cortex/words.ts";
import type { Item, ItemMeta, Turn } from "../../../cortex/mod.ts";
import { ToolError } from "../../errors.ts";
import type { CallerMemory } from "./caller.ts";
import { metaInput, TAGS_INPUT, timeOf } from "./view.ts";
import { cutField, cutText } from "../../render.ts";
import { COUNT, TEXT, type ValueOf } from "../../schema.ts";

/** Confidence of a learning that names none. */
const DEFAULT_CONFIDENCE = 0.8;

/** Schemas of what an item consists of. */
export const STORE_INPUTS = {
  kind: {
    type: "string",
    enum: KINDS,
    description: "What it is",
  },
  text: {
    type: "string",
    minLength: 1,
    maxLength: MAX_TEXT_CHARACTERS,
    description: "The statement of a learning, or the text of a document",
  },
  turns: {
    type: "array",
    minItems: 1,
    maxItems: MAX_TURNS,
    items: {
      type: "object",
      properties: {
        role: { type: "string", enum: ROLES },
        text: { type: "string", minLength: 1, maxLength: MAX_TEXT_CHARACTERS },
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
    enum: LEARNING_KINDS,
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
    maxLength: MAX_TEXT_CHARACTERS,
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
    enum: SOURCE_KINDS,
    description: "Where it came from; agent when left out",
  },
  source_id: metaInput("Which source it came from"),
  replaces: {
    type: "array",
    items: { type: "string", maxLength: 80 },
    maxItems: MAX_REPLACED,
    description:
      "Ids of items that are no longer so because of this one, as recall_memory returned them. They stay in get_memory, and no longer come in recall and list",
  },
  observed_at: {
    type: "string",
    maxLength: MAX_META_CHARACTERS,
    description: "When it was so, ISO; now when left out",
  },
} as const;

/** What an item consists of, as a call says it. */
export type StoreArguments =
  & { readonly kind: Kind }
  & {
    readonly [K in keyof typeof STORE_INPUTS]?:
      | ValueOf<typeof STORE_INPUTS[K]>
      | undefined;
  };

/** Arguments that only one kind has, by kind. */
const OWN_ARGUMENTS: Readonly<
  Record<Kind, readonly (keyof StoreArguments)[]>
> = {
  document: ["text", "title", "mime"],
  conversation: ["turns"],
  learning: ["text", "learning_kind", "confidence", "evidence"],
};

/** Who recalls an item of a kind, where the call does not say. */
export const DEFAULT_SHARE: Readonly<Record<Kind, "everyone" | "agent">> = {
  document: "agent",
  conversation: "everyone",
  learning: "everyone",
};

/** Schemas of what a kind shows beside its text. */
export const CONTENT_OUTPUTS = {
  title: TEXT,
  mime: TEXT,
  turns: COUNT,
  learning_kind: TEXT,
  confidence: { type: "number" },
  evidence: TEXT,
} as const;

type ContentShape = {
  readonly [K in keyof typeof CONTENT_OUTPUTS]?:
    | ValueOf<typeof CONTENT_OUTPUTS[K]>
    | undefined;
};

/** Builds the item. @throws {ToolError} Where arguments and kind do not fit. */
export function memoryItem(
  memory: CallerMemory,
  args: StoreArguments,
  node: Node,
): Item {
  refuseStrangers(args);
  const meta = metaOf(memory, args, node);
  switch (args.kind) {
    case "document":
      return {
        kind: args.kind,
        body: given("text", args.text),
        title: args.title,
        mime: args.mime,
        meta,
      };
    case "learning":
      return {
        kind: args.kind,
        text: given("text", args.text),
        learningKind: args.learning_kind ?? "fact",
        confidence: args.confidence ?? DEFAULT_CONFIDENCE,
        evidence: args.evidence,
        meta,
      };
    case "conversation": {
      // The same words in another session are another conversation.
      const threadId = meta.threadId ?? `session-${memory.sessionId}`;
      const turns = turnsOf(given("turns", args.turns));
      return { kind: args.kind, turns, meta: { ...meta, threadId } };
    }
  }
}

function refuseStrangers({ kind, ...args }: StoreArguments): void {
  const own = OWN_ARGUMENTS[kind];
  for (const [other, names] of Object.entries(OWN_ARGUMENTS)) {
    const stranger = names.find((name) =>
      name !== "kind" && args[name] !== undefined && !own.includes(name)
    );
    if (stranger === undefined) continue;
    throw new ToolError(
      `A ${kind} has no ${stranger}, which belongs to a ${other}; it takes ${
        own.join(", ")
      }`,
    );
  }
}

/** What the kind needs, and the schema cannot ask for. */
function given<T>(name: string, value: T | undefined): T {
  if (value !== undefined) return value;
  throw new ToolError(`Missing required argument: ${name}`);
}

function metaOf(
  { agent }: CallerMemory,
  args: StoreArguments,
  node: Node,
): ItemMeta {
  return {
    node,
    agentId: agent,
    tags: args.tags,
    threadId: args.thread_id,
    url: args.url,
    repo: args.repo,
    commit: args.commit,
    filePath: args.file_path,
    language: args.language,
    replaces: args.replaces?.map(itemIdOf),
    source: { kind: args.source_kind ?? "agent", id: args.source_id },
    observedAt: timeOf("observed_at", args.observed_at) ??
      new Date().toISOString(),
  };
}

function itemIdOf(text: string): ItemId {
  if (isItemId(text)) return text;
  throw new ToolError(
    `replaces takes ids of memory items, 40 hex digits as recall_memory returns them; ${
      JSON.stringify(cutText(text, 80))
    } is none`,
  );
}

function turnsOf(
  turns: ValueOf<typeof STORE_INPUTS.turns>,
): readonly Turn[] {
  return turns.map(({ role, text, at, tools }) => ({
    role,
    text,
    at: timeOf("at", at),
    toolCalls: tools?.map((name) => ({ name })),
  }));
}

/**
 * What each kind shows beside its text, given how many events hold it: an item
 * has only as many turns as were read of it. What is not set is left out.
 */
export function contentShape(item: Item, events: number): ContentShape {
  switch (item.kind) {
    case "document":
      return { title: cutField(item.title), mime: cutField(item.mime) };
    case "conversation":
      return { turns: events };
    case "learning":
      return {
        learning_kind: item.learningKind,
        confidence: item.confidence,
        evidence: cutField(item.evidence),
      };
  }
}
