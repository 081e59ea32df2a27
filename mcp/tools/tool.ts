/**
 * What a tool is, and how one is called: check the arguments, run, turn the
 * value or the error into a tool result.
 *
 * @module
 */
import {
  type ErrorKind,
  kindOf,
  refusalFacts,
  toCallerText,
} from "../errors.ts";
import { noteChanges } from "../noted_store.ts";
import type { ArgsOf, InputSchema, OutputSchema, ValueOf } from "../schema.ts";
import type { ToolContext } from "../services.ts";

/** A tool, whatever its arguments are. */
export interface ToolDefinition {
  /** `[a-z_]`, at most 40 characters. */
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  /** What it does, when to use it, what it refuses; may depend on the call. */
  readonly description: string | (() => string);
  /** Whether it changes anything. */
  readonly access: "read" | "write";
  /** Whether it may take away what was there. */
  readonly isDestructive: boolean;
  /** Whether the same call twice leaves the same state as once. */
  readonly isIdempotent: boolean;
  /**
   * Whether an agent begins with it: hosts that hide tools until a model looks
   * for them are asked to show it at once.
   */
  readonly isShownAtOnce?: boolean;
  /** Its arguments. */
  readonly input: InputSchema;
  /** Names that must not be passed, each with the reason. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Its answer, where that has a fixed form; without one it is text. */
  readonly output?: OutputSchema;
  /** Does it, with arguments that passed `input`. */
  run(context: ToolContext, args: unknown): Promise<string | object>;
}

/** An answer whose text is written for reading, with its facts as data. */
export class Written<T extends object = object> {
  /** Markdown. */
  readonly text: string;
  /** What the tool's output schema describes; mostly less than the text says. */
  readonly data: T;

  /** Takes both forms. */
  constructor(text: string, data: T) {
    this.text = text;
    this.data = data;
  }
}

/** What a group decides about: the facts of a tool that scoping looks at. */
export interface Scoped<T> {
  /** The domain group that owns it. */
  readonly group: string;
  /** Whether it changes anything. */
  readonly access: "read" | "write";
  /** Composite groups that show it too. */
  readonly composites?: readonly string[];
  /** Narrower variants that a composite shows in its place. */
  readonly overrides?: Readonly<Record<string, T>>;
}

/** A tool of the registry: a definition in its group. */
export interface Tool extends ToolDefinition, Scoped<Tool> {}

/** What a tool says of itself; `run` gets and gives what its schemas say. */
interface TypedDefinition<
  I extends InputSchema,
  O extends OutputSchema | undefined,
> extends Omit<ToolDefinition, "input" | "output" | "run"> {
  readonly input: I;
  readonly output?: O;
  run(context: ToolContext, args: ArgsOf<I>): Promise<AnswerOf<O>>;
}

/** Text, or what an output schema describes, with or without a text of its own. */
type AnswerOf<O> = O extends OutputSchema
  ? ValueOf<O> | Written<ValueOf<O> & object>
  : string;

/** A tool result as MCP has it. */
export interface ToolResult {
  /** The answer as text. */
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  /** The same as data. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  /** Whether the call was refused or failed. */
  readonly isError?: true;
  [key: string]: unknown;
}

/** Declares a tool; its schemas give `run` its types. */
export function defineTool<
  const I extends InputSchema,
  const O extends OutputSchema | undefined = undefined,
>(definition: TypedDefinition<I, O>): ToolDefinition {
  // `callTool` hands over only what passed `input`.
  return definition as ToolDefinition;
}

/**
 * Characters of a result that Claude Code gives a model whole; without this it
 * puts more than 50,000 into a file. More than the largest page has.
 */
const MAX_RESULT_CHARACTERS = 400_000;

/** Descriptions that are the same for every call, by their tool. */
const described = new WeakMap<ToolDefinition, Record<string, unknown>>();

/** A tool as `tools/list` shows it. */
export function describeTool(tool: ToolDefinition): Record<string, unknown> {
  const known = described.get(tool);
  if (known !== undefined) return known;
  const shape = shapeOf(tool);
  if (typeof tool.description === "string") described.set(tool, shape);
  return shape;
}

function shapeOf(tool: ToolDefinition): Record<string, unknown> {
  return {
    name: tool.name,
    title: tool.title,
    description: typeof tool.description === "string"
      ? tool.description
      : tool.description(),
    inputSchema: tool.input,
    ...(tool.output === undefined ? {} : { outputSchema: tool.output }),
    annotations: {
      title: tool.title,
      readOnlyHint: tool.access === "read",
      destructiveHint: tool.isDestructive,
      idempotentHint: tool.isIdempotent,
      openWorldHint: false,
    },
    _meta: {
      "anthropic/maxResultSizeChars": MAX_RESULT_CHARACTERS,
      ...(tool.isShownAtOnce === true ? { "anthropic/alwaysLoad": true } : {}),
    },
  };
}

/**
 * The validator costs tens of milliseconds to load, so the first call pays for
 * it, not the start of the process. Asking for a loaded module again is slow.
 */
let loading: Promise<typeof import("./arguments.ts")> | undefined;

/** Under which name a refused call carries its reason, for programs. */
export const REFUSAL_META = "rootcellar/refusal";

/** Calls a tool. Never rejects: every error becomes a result. */
export async function callTool(
  tool: ToolDefinition,
  context: ToolContext,
  args: unknown,
): Promise<ToolResult> {
  const { services } = context;
  const { log, metrics } = services;
  const began = performance.now();
  let kind: ErrorKind | undefined;
  const noted = tool.access === "write"
    ? noteChanges(services.store)
    : undefined;
  const noting = noted === undefined
    ? context
    : { ...context, services: { ...services, store: noted.store } };
  try {
    const { checkArguments } = await (loading ??= import("./arguments.ts"));
    const value = await tool.run(noting, checkArguments(tool, args));
    if (typeof value === "string") return textResult(value);
    const { text, data } = value instanceof Written
      ? value
      : new Written(JSON.stringify(value), value);
    return { ...textResult(text), structuredContent: { ...data } };
  } catch (error) {
    kind = kindOf(error);
    const effect = noted?.hasChanged() === true ? "changed" : tool.access;
    const text = toCallerText(error, log, effect);
    const facts = refusalFacts(error);
    return {
      ...textResult(text),
      isError: true,
      ...(facts === undefined ? {} : { _meta: { [REFUSAL_META]: facts } }),
    };
  } finally {
    const seconds = (performance.now() - began) / 1_000;
    metrics?.toolCalled(tool.name, kind, seconds);
  }
}

function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}
