/**
 * History and team: the turns of the chat node that all of a person's agents
 * share.
 *
 * Both read exactly that scope. What is dropped is dropped before anything is
 * counted: an agent that spoke last a thousand times still hears its team.
 *
 * Specification: docs/spec/cortex_engine.md section 9.1.
 *
 * @module
 */

import type { Scope } from "../../layout/layouts.ts";
import type { Node } from "../../words.ts";
import {
  type EngineContext,
  forEachScope,
  type OperationOptions,
  type ReadReport,
} from "../context.ts";
import type { ItemId } from "../item/item.ts";
import { type Turn, turnOf } from "../item/kinds/conversation.ts";
import { invalidRequest } from "../item/item_check.ts";
import { checkLimit } from "./list.ts";
import { lookupLabel } from "../item/lookup.ts";
import { type OwnEvent, readOwnEvent } from "../item/rebuild.ts";
import { walkEvents } from "./walk.ts";

/** Whose turns to read. */
export interface HistoryRequest {
  /** The agent that asks. */
  readonly agentId: string;
  /** Its own turns, or those of everybody else. */
  readonly who: "self" | "team";
  /** The most turns. */
  readonly limit: number;
  /** Only those of a thread. */
  readonly threadId?: string | undefined;
  /** Only so many characters of each text; whole texts when left out. */
  readonly textLimit?: number | undefined;
}

/** One turn of the shared conversations. */
export interface HistoryTurn {
  /** What was said, by whom; its text perhaps only the beginning. */
  readonly turn: Turn;
  /** Characters of its whole text. */
  readonly characters: number;
  /** The conversation it is part of. */
  readonly itemId: ItemId;
  /** Which turn of it, from 0. */
  readonly index: number;
  /** The agent whose turn it is. */
  readonly agentId: string | undefined;
  /** The thread it belongs to. */
  readonly threadId: string | undefined;
  /** When it was stored, as written. */
  readonly recordedAt: string | undefined;
}

/** Turns, newest first. */
export interface History extends ReadReport {
  /** The turns. */
  readonly turns: readonly HistoryTurn[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

/** Reads the turns of the chat node. */
export async function readHistory(
  context: EngineContext,
  chatNode: Node,
  request: HistoryRequest,
  options: OperationOptions,
): Promise<History> {
  checkLimit(request.limit);
  if (request.agentId.trim() === "") {
    throw invalidRequest("The agent id is blank");
  }
  const scopes = context.layout.scopes(chatNode, "conversation");
  const found = await forEachScope(
    scopes,
    (scope) => collect(context, scope, request, options),
  );
  const turns = merge(found);
  return {
    turns: turns.slice(0, request.limit),
    hasMore: turns.length > request.limit,
    scopes: scopes.map(({ path }) => path),
    isCut: false,
  };
}

/** One turn more than asked for, so as to know whether there are more. */
async function collect(
  context: EngineContext,
  scope: Scope,
  request: HistoryRequest,
  options: OperationOptions,
): Promise<readonly HistoryTurn[]> {
  const turns = new Map<string, HistoryTurn>();
  // A listing is narrowed by one field, and a thread has fewer turns than its
  // agents; everybody else has no label.
  const labels = request.threadId !== undefined
    ? [lookupLabel("thread", request.threadId)]
    : request.who === "self"
    ? [lookupLabel("agent", request.agentId)]
    : [];
  const how = { ...options, textLimit: request.textLimit };
  for await (const { event } of walkEvents(context, scope, { labels }, how)) {
    const own = readOwnEvent(scope, event);
    if (own === undefined || !isWanted(request, own)) continue;
    const turn = toTurn(own);
    const key = keyOf(turn);
    if (!turns.has(key)) turns.set(key, turn);
    if (turns.size > request.limit) break;
  }
  return [...turns.values()];
}

function isWanted(
  { agentId, who, threadId }: HistoryRequest,
  { envelope: { meta } }: OwnEvent,
): boolean {
  const isOwn = meta.agentId === agentId;
  return isOwn === (who === "self") &&
    (threadId === undefined || meta.threadId === threadId);
}

function toTurn(own: OwnEvent): HistoryTurn {
  const { id, meta, part } = own.envelope;
  return {
    turn: turnOf(own),
    characters: own.characters,
    itemId: id,
    index: part.index,
    agentId: meta.agentId,
    threadId: meta.threadId,
    recordedAt: own.recordedAt,
  };
}

function keyOf({ itemId, index }: HistoryTurn): string {
  return `${itemId}/${index}`;
}

/** Both roots' turns by time; of a turn that both hold, the root's. */
function merge(
  found: readonly (readonly HistoryTurn[])[],
): readonly HistoryTurn[] {
  const [first = [], ...others] = found;
  const keys = new Set(first.map(keyOf));
  const more = others.flat().filter((turn) => !keys.has(keyOf(turn)));
  if (more.length === 0) return first;
  return [...first, ...more].sort((a, b) => timeOf(b) - timeOf(a));
}

function timeOf({ recordedAt }: HistoryTurn): number {
  const time = Date.parse(recordedAt ?? "");
  return Number.isNaN(time) ? 0 : time;
}
