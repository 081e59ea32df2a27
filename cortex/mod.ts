/**
 * cortex: a person's memory in CortexDB.
 *
 * An `Engine` stores items, finds, forgets and erases them. Where they lie is
 * `layout/mod.ts`, what carries requests `client/mod.ts`; `local/mod.ts` is a
 * CortexDB of our own, and `words.ts` has what is cheap to load.
 *
 * @example
 * ```ts
 * import { parseNode } from "./layout/mod.ts";
 * import { readEngineSettings } from "./mod.ts";
 * import { equal } from "node:assert/strict";
 *
 * const { layout } = readEngineSettings({ scopeRoot: "org:42" });
 * const path = layout.render(parseNode("ws:main"), "conversation");
 * equal(path, "org:42/ws:main/app:conversations");
 * ```
 *
 * @module
 */
export type {
  EngineEvent,
  EngineOptions,
  OperationOptions,
  ReadReport,
} from "./engine/context.ts";
export { createEngine, type Engine } from "./engine/engine.ts";
export type { Item, ItemId, ItemMeta, ToolCall } from "./engine/item/item.ts";
export type {
  ConversationItem,
  Turn,
} from "./engine/item/kinds/conversation.ts";
export type { DocumentItem } from "./engine/item/kinds/document.ts";
export type { LearningItem } from "./engine/item/kinds/learning.ts";
export type { Hit, ReadableHit, TextPart } from "./engine/item/rebuild.ts";
export type { Answered, AnswerRequest } from "./engine/read/answer.ts";
export type { Filter } from "./engine/read/filter.ts";
export type { GetRequest, Got } from "./engine/read/get.ts";
export type {
  History,
  HistoryRequest,
  HistoryTurn,
} from "./engine/read/history.ts";
export type { ItemPage, ListRequest } from "./engine/read/list.ts";
export type { HeldNode, NodeListing } from "./engine/read/nodes.ts";
export type { TextRange, TextReader } from "./engine/read/read_text.ts";
export type { Recalled, RecallRequest } from "./engine/read/recall.ts";
export type { FitReasons } from "./client/recall_across.ts";
export type { HitPassage, RecalledHit } from "./engine/read/recalled_items.ts";
export type { RepairedWord } from "./client/recall_across.ts";
export type {
  ErasedScope,
  EraseReport,
  ForeignScope,
} from "./engine/remove/erase.ts";
export type { RemovalFailure } from "./engine/remove/failure.ts";
export type { EraseNodesRequest } from "./engine/remove/erase_plan.ts";
export type {
  ForgetItemsRequest,
  ForgetReport,
} from "./engine/remove/forget.ts";
export type { StoreItemsOptions, StoreReceipt } from "./engine/write/store.ts";
export {
  type EngineConfig,
  type EngineSettings,
  readEngineSettings,
} from "./settings.ts";
