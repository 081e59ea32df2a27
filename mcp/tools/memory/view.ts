/**
 * What the memory tools look at: filter arguments, and the reaches they are
 * applied to.
 *
 * @module
 */
import {
  type Kind,
  KINDS,
  MAX_META_CHARACTERS,
  MAX_TAGS,
  type Node,
  SOURCE_KINDS,
} from "../../../cortex/words.ts";
import type { Filter } from "../../../cortex/mod.ts";
import type { Reach } from "../../../cortex/layout/mod.ts";
import { ToolError } from "../../errors.ts";
import { type CallerMemory, NODE_INPUT, nodeOf } from "./caller.ts";
import type { ValueOf } from "../../schema.ts";

/** Which nodes are looked at, seen from one. */
export const REACHES = ["inherited", "only", "below"] as const;

/** Stands for every agent in `agent`. */
export const ANY_AGENT = "*";

/** Schema of a meta field. */
export function metaInput(description: string): {
  readonly type: "string";
  readonly minLength: number;
  readonly maxLength: number;
  readonly description: string;
} {
  return {
    type: "string",
    minLength: 1,
    maxLength: MAX_META_CHARACTERS,
    description,
  };
}

/** Schema of a list of tags. */
export const TAGS_INPUT = {
  type: "array",
  items: { type: "string", minLength: 1, maxLength: MAX_META_CHARACTERS },
  maxItems: MAX_TAGS,
} as const;

/** Schema of `kinds`. */
export const KINDS_INPUT = {
  type: "array",
  items: { type: "string", enum: KINDS },
  description: "Only these kinds; every kind when left out",
} as const;

/** Schemas of where to look, and of what an item must match. */
export const VIEW_INPUTS = {
  node: NODE_INPUT,
  reach: {
    type: "string",
    enum: REACHES,
    description:
      "inherited (default): the node, every node above it up to root, and the shared conversations. only: the node alone. below: the node and all below it, but for what lies in workflows (service nodes); with node root, all agents",
  },
  kinds: KINDS_INPUT,
  tags: { ...TAGS_INPUT, description: "Only items with any of these tags" },
  thread_id: metaInput("Only items of this thread"),
  url: metaInput("Only items about this URL"),
  repo: metaInput("Only items about this repository"),
  file_path: metaInput("Only items about this file, or files in this folder"),
  source_kind: {
    type: "string",
    enum: SOURCE_KINDS,
    description: "Only items that came from such a source",
  },
  source_id: metaInput("Only items that came from this source"),
  observed_after: metaInput("Only items observed at this time or later, ISO"),
  observed_before: metaInput("Only items observed before this time, ISO"),
} as const;

/** Schema of `agent`. */
export const AGENT_INPUT = metaInput(
  "Only what this agent root stored, by its catalog key",
);

/** Where to look, and what an item must match, as a call says it. */
export type ViewArguments = {
  readonly [K in keyof typeof VIEW_INPUTS]?:
    | ValueOf<typeof VIEW_INPUTS[K]>
    | undefined;
};

/** What a call looks at. */
export interface View {
  /** Seen from here. */
  readonly node: Node;
  /** How far. */
  readonly reach: typeof REACHES[number];
  /** Kinds, in the order of listings. */
  readonly kinds: readonly Kind[];
  /** The readings that make it up; no item passes two of them. */
  readonly filters: readonly Filter[];
}

/** Reads where to look, and what an item must match. */
export function viewOf(
  memory: CallerMemory,
  args: ViewArguments,
  agent?: string,
): View {
  const { engine: { chatNode }, layouts } = memory;
  const { reach = "inherited" } = args;
  const node = nodeOf(memory, args.node);
  const kinds = kindsOf(args.kinds);
  const names = agent === undefined || agent === ANY_AGENT
    ? undefined
    : memory.namesOf(agent);
  const match = matchOf(args, names);
  const own = reachFrom(node, reach);
  const filters: Filter[] = [{ ...match, reach: own, kinds }];
  // Conversations lie at the chat node, which is above no agent.
  const addsChat = reach === "inherited" && kinds.includes("conversation") &&
    !layouts.admits(own, chatNode);
  if (addsChat) {
    filters.push({
      ...match,
      reach: layouts.exactly(chatNode),
      kinds: ["conversation"],
    });
  }
  return { node, reach, kinds, filters };
}

/** The kinds that `kinds` names; all when it is left out or empty. */
export function kindsOf(
  named: readonly Kind[] | undefined = [],
): readonly Kind[] {
  return named.length === 0
    ? KINDS
    : KINDS.filter((one) => named.includes(one));
}

/** Whether anything says what an item must match, beside where it lies. */
export function isNarrowed(args: ViewArguments): boolean {
  const { node: _node, reach: _reach, ...match } = VIEW_INPUTS;
  const names = Object.keys(match) as (keyof typeof match)[];
  return names.some((name) => {
    const value = args[name];
    return value !== undefined && !(Array.isArray(value) && value.length === 0);
  });
}

function reachFrom(at: Node, reach: View["reach"]): Reach {
  return {
    at,
    inherit: reach === "inherited",
    descendants: reach === "below",
  };
}

function matchOf(
  args: ViewArguments,
  agentId: readonly string[] | undefined,
): Filter {
  const source = args.source_kind;
  return {
    agentId,
    tagsAny: args.tags,
    threadId: args.thread_id,
    url: args.url,
    repo: args.repo,
    filePath: args.file_path,
    sources: source === undefined ? undefined : [source],
    sourceId: args.source_id,
    observedAfter: timeOf("observed_after", args.observed_after),
    observedBefore: timeOf("observed_before", args.observed_before),
  };
}

/** A time; a date alone is its beginning in UTC. @throws {ToolError} */
export function timeOf(
  name: string,
  value: string | undefined,
): string | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const full = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
  const day = /^(\d{4}-\d{2}-(\d{2}))T\d{2}:\d{2}/.exec(full);
  const isTime = /(Z|[+-]\d{2}:\d{2})$/i.test(full) &&
    !Number.isNaN(Date.parse(full)) &&
    // The 30th of February would be one in March.
    new Date(`${day?.[1]}T00:00:00Z`).getUTCDate() === Number(day?.[2]);
  const time = isTime ? new Date(full).toISOString() : "";
  // Years of four digits, and none before the first.
  if (/^(?!0000)\d{4}-/.test(time)) return time;
  throw new ToolError(
    `${name} must be a time like 2026-09-01T09:00:00Z or a date like 2026-09-01`,
  );
}
