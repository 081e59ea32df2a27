/**
 * What a tool is, and how one is called: check the arguments, run, turn the
 * value or the error into a tool result.
 *
 * @module
 */
import type { CatalogLoader } from "../../catalog/mod.ts";
import type { Store } from "../../store/mod.ts";
import type { Connection } from "../caller/connection.ts";
import { type ErrorKind, kindOf, toCallerText, ToolError } from "../errors.ts";
import type { Scoped } from "../caller/groups.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../watch/metrics.ts";
import type { MemoryService } from "../memory.ts";
import type { SessionRoots } from "../caller/session_roots.ts";

/** What the server is built from; one object a process. */
export interface Services {
  /** The catalog of agent roots. */
  readonly catalog: CatalogLoader;
  /** The database. */
  readonly store: Store;
  /** Which root a session belongs to, remembered for a while. */
  readonly sessionRoots: SessionRoots;
  /** Root data and memory only for connections that prove their session. */
  readonly requireSessionToken: boolean;
  /** The log. */
  readonly log: Log;
  /** The memory engine, where there is one. */
  readonly memory?: MemoryService;
  /** Counts what happens, where somebody can read it. */
  readonly metrics?: Metrics;
}

/** What a tool knows of its call. */
export interface ToolContext {
  /** Who calls, and what the call may reach. */
  readonly connection: Connection;
  /** What the server is built from. */
  readonly services: Services;
}

/** Arguments that passed the tool's schema. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A JSON Schema with an object root. */
export interface InputSchema {
  /** Always an object. */
  readonly type: "object";
  /** The arguments. */
  readonly properties: Readonly<
    Record<string, Readonly<Record<string, unknown>>>
  >;
  /** Names that must be given. */
  readonly required: readonly string[];
  /** Unknown names are refused. */
  readonly additionalProperties: false;
}

/** A tool of the registry. */
export interface ToolDefinition extends Scoped<ToolDefinition> {
  /** `[a-z_]`, at most 40 characters. */
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  /** What it does, when to use it, what it refuses; may depend on the call. */
  readonly description: string | (() => string);
  /** Whether it may take away what was there. */
  readonly isDestructive: boolean;
  /** Whether the same call twice leaves the same state as once. */
  readonly isIdempotent: boolean;
  /** Its arguments. */
  readonly input: InputSchema;
  /** Names that must not be passed, each with the reason. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Does it. Text is sent as it is; an object as JSON and structured. */
  run(
    context: ToolContext,
    args: ToolArguments,
  ): Promise<string | Readonly<Record<string, unknown>>>;
}

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

/** Declares a tool; gives the literal its type and nothing else. */
export function defineTool(definition: ToolDefinition): ToolDefinition {
  return definition;
}

/** A tool as `tools/list` shows it. */
export function describeTool(tool: ToolDefinition): Record<string, unknown> {
  return {
    name: tool.name,
    title: tool.title,
    description: typeof tool.description === "string"
      ? tool.description
      : tool.description(),
    inputSchema: tool.input,
    annotations: {
      title: tool.title,
      readOnlyHint: tool.access === "read",
      destructiveHint: tool.isDestructive,
      idempotentHint: tool.isIdempotent,
      openWorldHint: false,
    },
  };
}

/**
 * The validator costs tens of milliseconds to load, so the first call pays for
 * it, not the start of the process. Asking for a loaded module again is slow.
 */
let loading: Promise<typeof import("./arguments.ts")> | undefined;

/** Calls a tool. Never rejects: every error becomes a result. */
export async function callTool(
  tool: ToolDefinition,
  context: ToolContext,
  args: unknown,
): Promise<ToolResult> {
  const { log, metrics } = context.services;
  const began = performance.now();
  let kind: ErrorKind | undefined;
  try {
    const { checkArguments } = await (loading ??= import("./arguments.ts"));
    const value = await tool.run(context, checkArguments(tool, args));
    return typeof value === "string" ? textResult(value) : {
      ...textResult(JSON.stringify(value, null, 2)),
      structuredContent: value,
    };
  } catch (error) {
    kind = kindOf(error);
    return { ...textResult(toCallerText(error, log)), isError: true };
  } finally {
    const seconds = (performance.now() - began) / 1_000;
    metrics?.toolCalled(tool.name, kind, seconds);
  }
}

/** Reads an argument that the schema made sure of. */
export function stringArgument(args: ToolArguments, name: string): string {
  const value = args[name];
  if (typeof value === "string") return value;
  throw new ToolError(`Missing required argument: ${name}`);
}

function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}
