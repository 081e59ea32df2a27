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
import { isOneOf } from "./filter.ts";
import { lookupLabel } from "../item/lookup.ts";
import { type OwnEvent, readOwnEvent } from "../item/rebuild.ts";
import { type Positions, readPositions, writePositions } from "./cursor.ts";
import { type Position, walkEvents } from "./walk.ts";

/** Whose turns to read. */
export interface HistoryRequest {
  /** The agent that asks, by all of its names. */
  readonly agentId: string | readonly string[];
  /** Its own turns, or those of everybody else. */
  readonly who: "self" | "team";
  /** The most turns. */
  readonly limit: number;
  /** Only those of a thread. */
  readonly threadId?: string | undefined;
  /** Only so many characters of each text; whole texts when left out. */
  readonly textLimit?: number | undefined;
  /** Where the last page ended. */
  readonly cursor?: string | undefined;
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
  /** For each turn, where to go on behind it, with older ones. */
  readonly cursors: readonly string[];
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
  const names = [request.agentId].flat();
  if (names.length === 0 || names.some((name) => name.trim() === "")) {
    throw invalidRequest("The agent id is blank");
  }
  const scopes = context.layout.scopes(chatNode, "conversation");
  const { agentId, who, threadId, cursor } = request;
  const query = { agentId, who, threadId };
  const begin: Positions = cursor === undefined
    ? new Map()
    : readPositions(cursor, query);
  const found = await forEachScope(scopes, (scope) => {
    const from = begin.get(scope.path);
    return collect(context, scope, { ...request, from }, options);
  });
  const steps = merge(found);
  const shown = steps.slice(0, request.limit);
  const positions = new Map(begin);
  const cursors = shown.map(({ scope, position }) => {
    positions.set(scope.path, position);
    return writePositions(positions, query);
  });
  return {
    turns: shown.map(({ turn }) => turn),
    cursors,
    hasMore: steps.length > request.limit,
    scopes: scopes.map(({ path }) => path),
    isCut: false,
  };
}

/** A turn, and the place behind it. */
interface Step {
  readonly turn: HistoryTurn;
  readonly scope: Scope;
  readonly position: Position;
}

/** One turn more than asked for, so as to know whether there are more. */
async function collect(
  context: EngineContext,
  scope: Scope,
  request: HistoryRequest & { readonly from: Position | undefined },
  options: OperationOptions,
): Promise<readonly Step[]> {
  const steps = new Map<string, Step>();
  // A listing is narrowed by one field, and a thread has fewer turns than its
  // agents; everybody else has no label.
  const labels = request.threadId !== undefined
    ? [lookupLabel("thread", request.threadId)]
    : request.who === "self"
    ? [request.agentId].flat().map((name) => lookupLabel("agent", name))
    : [];
  const how = { ...options, textLimit: request.textLimit };
  const walk = { labels, from: request.from };
  for await (
    const { event, position } of walkEvents(context, scope, walk, how)
  ) {
    const own = readOwnEvent(scope, event);
    if (own === undefined || !isWanted(request, own)) continue;
    const turn = toTurn(own);
    const key = keyOf(turn);
    if (!steps.has(key)) steps.set(key, { turn, scope, position });
    if (steps.size > request.limit) break;
  }
  return [...steps.values()];
}

function isWanted(
  { agentId, who, threadId }: HistoryRequest,
  { envelope: { meta } }: OwnEvent,
): boolean {
  const isOwn = isOneOf(agentId, meta.agentId);
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
  found: readonly (readonly Step[])[],
): readonly Step[] {
  const [first = [], ...others] = found;
  const keys = new Set(first.map(({ turn }) => keyOf(turn)));
  const more = others.flat().filter(({ turn }) => !keys.has(keyOf(turn)));
  if (more.length === 0) return first;
  return [...first, ...more].sort((a, b) => timeOf(b.turn) - timeOf(a.turn));
}

function timeOf({ recordedAt }: HistoryTurn): number {
  const time = Date.parse(recordedAt ?? "");
  return Number.isNaN(time) ? 0 : time;
}
