/**
 * The memory engine: items in CortexDB scopes, below one root.
 *
 * Every operation rejects with `CortexRefusalError` (`invalid_request` before
 * anything is sent), `CortexUnavailableError` or `CortexProtocolError`, or with
 * the reason of the caller's signal.
 *
 * @module
 */

import type { Clock } from "../client/client_types.ts";
import { SYSTEM_CLOCK } from "../client/channel.ts";
import type { Layout } from "../layout/layouts.ts";
import { DEFAULT_CHAT_NODE, type Node } from "../words.ts";
import type { Health } from "../client/wire.ts";
import {
  type Answered,
  answerQuestion,
  type AnswerRequest,
} from "./read/answer.ts";
import { confineClient } from "./confined_client.ts";
import type {
  EngineContext,
  EngineOptions,
  OperationOptions,
} from "./context.ts";
import { type EraseReport, eraseScopes } from "./remove/erase.ts";
import type { EraseNodesRequest } from "./remove/erase_plan.ts";
import {
  forgetItems,
  type ForgetItemsRequest,
  type ForgetReport,
} from "./remove/forget.ts";
import { getItems, type GetRequest, type Got } from "./read/get.ts";
import {
  type History,
  type HistoryRequest,
  readHistory,
} from "./read/history.ts";
import type { Item } from "./item/item.ts";
import type { ReadableHit } from "./item/rebuild.ts";
import { type ItemPage, listItems, type ListRequest } from "./read/list.ts";
import { createTextReader, type TextReader } from "./read/read_text.ts";
import { listNodes, type NodeListing } from "./read/nodes.ts";
import { createOwnership } from "./write/ownership.ts";
import {
  type Recalled,
  recallItems,
  type RecallRequest,
} from "./read/recall.ts";
import {
  storeItems,
  type StoreItemsOptions,
  type StoreReceipt,
} from "./write/store.ts";

/** Items in CortexDB scopes. */
export interface Engine {
  /** Where items lie. */
  readonly layout: Layout;
  /** The node of the conversations that a person's agents share. */
  readonly chatNode: Node;
  /** Stores 1 to 100 items; those before an error are stored. */
  store(
    items: readonly Item[],
    options?: StoreItemsOptions,
  ): Promise<readonly StoreReceipt[]>;
  /** One page of the items that pass a filter. */
  list(request: ListRequest, options?: OperationOptions): Promise<ItemPage>;
  /** Items by their ids. */
  get(request: GetRequest, options?: OperationOptions): Promise<Got>;
  /** Reads on in an item's text, beyond what was read of it. */
  reader(hit: Pick<ReadableHit, "parts">): TextReader;
  /** The items that match words best. */
  recall(request: RecallRequest, options?: OperationOptions): Promise<Recalled>;
  /** An answer in words. */
  answer(request: AnswerRequest, options?: OperationOptions): Promise<Answered>;
  /** The turns of the chat node: an agent's own, or its team's. */
  history(
    request: HistoryRequest,
    options?: OperationOptions,
  ): Promise<History>;
  /** The nodes at and below one that have scopes. */
  nodes(at: Node, options?: OperationOptions): Promise<NodeListing>;
  /** Forgets items below both roots. */
  forget(
    request: ForgetItemsRequest,
    options?: OperationOptions,
  ): Promise<ForgetReport>;
  /** Erases scopes below both roots. */
  erase(
    request: EraseNodesRequest,
    options?: OperationOptions,
  ): Promise<EraseReport>;
  /** Whether CortexDB is well. */
  health(options?: OperationOptions): Promise<Health>;
}

/** Builds an engine. Nothing is sent before the first operation. */
export function createEngine(options: EngineOptions): Engine {
  const { layout, owner, chatNode = DEFAULT_CHAT_NODE } = options;
  const clock: Clock = options.clock ?? SYSTEM_CLOCK;
  const report = options.report ?? (() => {});
  const client = confineClient(options.client, layout);
  const { isVisibleAtOnce = false, listsBelow = false } = options;
  const context: EngineContext = {
    client,
    layout,
    isVisibleAtOnce,
    listsBelow: listsBelow && client.wire === "direct",
    clock,
    report,
  };
  const ownership = createOwnership(context, owner);
  return {
    layout,
    chatNode,
    store: (items, more = {}) => storeItems(context, ownership, items, more),
    list: (request, more = {}) => listItems(context, request, more),
    get: (request, more = {}) => getItems(context, request, more),
    reader: (hit) => createTextReader(context, hit),
    recall: (request, more = {}) => recallItems(context, request, more),
    answer: (request, more = {}) => answerQuestion(context, request, more),
    history: (request, more = {}) =>
      readHistory(context, chatNode, request, more),
    nodes: (at, more = {}) => listNodes(context, at, more),
    forget: (request, more = {}) => forgetItems(context, request, more),
    erase: (request, more = {}) => eraseScopes(context, request, more),
    health: (more = {}) => client.health(more),
  };
}
