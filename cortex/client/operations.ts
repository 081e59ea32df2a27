/**
 * What is asked of CortexDB, one entry an operation, and what both wires have
 * in common of it. A wire is a table that says the rest: paths, and what
 * sending a request twice would do.
 *
 * @module
 */

import type { Actor } from "../layout/scope.ts";
import type { AnswerPart } from "./answer_part.ts";
import type { ApiPath } from "./api_path.ts";
import type { ApiRequest } from "./channel.ts";
import type { WriteOptions } from "./client_types.ts";
import { checkDrafts, checkEventQuery, checkForget } from "./request_checks.ts";
import type {
  Answer,
  AnswerQuery,
  AppendReceipt,
  EraseRequest,
  Erasure,
  ErasureId,
  EventDraft,
  EventId,
  EventPage,
  EventQuery,
  ForgetRequest,
  Forgotten,
  Health,
  Pack,
  RecallQuery,
  ScopeMember,
  ScopeMembers,
  ScopePage,
  ScopePageQuery,
  StoredEvent,
} from "./wire.ts";
import {
  decodeRankedPack,
  type RankedPack,
  type RecallAcrossQuery,
  toRecallAcross,
} from "./recall_across.ts";
import {
  COUNT_HEADER,
  FOLD_HEADER,
  FOLD_WORD,
  TEXT_LIMIT_HEADER,
  TURN_IDS_WORD,
} from "./headers.ts";
import { toAnswer, toForget, toRecall } from "./wire.ts";
import {
  decodeAnswer,
  decodeErasure,
  decodeEvent,
  decodeForgotten,
  decodePack,
  decodePage,
  decodeReceipt,
  decodeScopes,
} from "./wire_decode.ts";

/** Of every operation, what it asks and what it answers. */
export interface Operations {
  readonly append: [EventDraft, AppendReceipt];
  readonly appendAll: [readonly EventDraft[], readonly AppendReceipt[]];
  readonly listEvents: [EventQuery, EventPage];
  readonly readEvent: [EventId, StoredEvent | undefined];
  readonly recall: [RecallQuery, Pack];
  readonly recallAcross: [RecallAcrossQuery, RankedPack | undefined];
  readonly answer: [AnswerQuery, Answer];
  readonly forget: [ForgetRequest, Forgotten];
  readonly erase: [EraseRequest, Erasure];
  readonly readErasure: [ErasureId, Erasure | undefined];
  readonly eraseTenant: [void, void];
  readonly listScopes: [ScopePageQuery, ScopePage];
  readonly registerScope: [ScopeMembers, void];
  readonly readMembers: [
    ScopeMembers["path"],
    readonly ScopeMember[] | undefined,
  ];
  readonly replaceMembers: [ScopeMembers, void];
  readonly whoami: [void, Actor];
  readonly health: [void, Health];
}

/** How a wire carries one operation. */
export interface Carriage<Q, A> extends
  Pick<
    ApiRequest,
    "method" | "effect" | "hasActor" | "isDoneWhenGone" | "maxAttempts"
  > {
  /** Refuses a question that the other side would take for another one. */
  check?(question: Q): void;
  /** The path, with its query. */
  path(question: Q, options: WriteOptions): ApiPath;
  /** The body; none when left out. */
  body?(question: Q): unknown;
  /** Headers of one call, the same on every try. */
  headers?(question: Q): Readonly<Record<string, string>>;
  /** Reads the answer. `mayHaveActed`: an earlier try may have been applied. */
  decode(part: AnswerPart, question: Q, mayHaveActed: boolean): A;
  /** What a 404 answers; an error when left out. */
  none?(): A;
}

/** One wire: every operation, undefined for those that it has not. */
export type WireTable = {
  readonly [K in keyof Operations]:
    | Carriage<Operations[K][0], Operations[K][1]>
    | undefined;
};

/** What every operation is for, as a message says it. */
export const OPERATION_NAMES: Readonly<Record<keyof Operations, string>> = {
  append: "append events",
  appendAll: "append events",
  listEvents: "list events",
  readEvent: "read an event",
  recall: "recall events",
  recallAcross: "recall events of many scopes",
  answer: "answer a question",
  forget: "forget events",
  erase: "erase a scope",
  readErasure: "read an erasure",
  eraseTenant: "erase a tenant",
  listScopes: "list scopes",
  registerScope: "register a scope",
  readMembers: "read the members of a scope",
  replaceMembers: "replace the members of a scope",
  whoami: "ask who the caller is",
  health: "check health",
};

/** The events of a page that asks for no number. */
export const EVENTS_PER_PAGE = 200;

/** What a read is, whatever it reads. */
export const READ = { method: "GET", effect: "read" } as const;

/** A question that is asked with a body. */
const ASK = { method: "POST", effect: "read" } as const;

/** The part of an operation that no wire has in its own way. */
type Shared<K extends keyof Operations, Own extends string = never> = Omit<
  Carriage<Operations[K][0], Operations[K][1]>,
  "path" | Own
>;

/** One event, tried again under its own key. */
export const APPEND: Shared<"append"> = {
  method: "POST",
  effect: "keyed_write",
  check: (draft) => checkDrafts([draft]),
  decode: (part, _, mayHaveActed) => decodeReceipt(part, mayHaveActed),
};

/** A page of events. */
export const LIST_EVENTS: Shared<"listEvents"> = {
  ...READ,
  check: checkEventQuery,
  headers: (query) => ({ ...textLimitHeader(query), ...foldHeader(query) }),
  decode: (part, { cursor, textLimit }) => decodePage(part, cursor, textLimit),
};

function textLimitHeader(
  { textLimit }: { readonly textLimit?: number | undefined },
): Readonly<Record<string, string>> {
  return textLimit === undefined
    ? {}
    : { [TEXT_LIMIT_HEADER]: String(textLimit) };
}

function foldHeader(
  { foldWith, isWithTurnIds }: EventQuery,
): Readonly<Record<string, string>> {
  if (isWithTurnIds === true) return { [FOLD_HEADER]: TURN_IDS_WORD };
  return foldWith === undefined
    ? {}
    : { [FOLD_HEADER]: [FOLD_WORD, ...foldWith].join(",") };
}

/** An event, if it is there. */
export const READ_EVENT: Shared<"readEvent"> = {
  ...READ,
  decode: (part) => decodeEvent(part),
  none: () => undefined,
};

/** Ranked events. */
export const RECALL: Shared<"recall"> = {
  ...ASK,
  body: toRecall,
  headers: textLimitHeader,
  decode: (part, { textLimit }) => decodePack(part, textLimit),
};

/** Ranked events of many scopes; none where that is not offered. */
export const RECALL_ACROSS: Shared<"recallAcross"> = {
  ...ASK,
  body: toRecallAcross,
  headers: textLimitHeader,
  decode: (part, { textLimit }) => decodeRankedPack(part, textLimit),
  none: () => undefined,
};

/** An answer in words. */
export const ANSWER: Shared<"answer"> = {
  ...ASK,
  body: toAnswer,
  decode: decodeAnswer,
};

/** A removal of events. */
export const FORGET: Shared<"forget", "effect"> = {
  method: "POST",
  check: checkForget,
  body: toForget,
  decode: decodeForgotten,
};

/** An erasure, begun. */
export const ERASE: Shared<"erase", "effect" | "body"> = {
  method: "POST",
  decode: decodeErasure,
};

/** An erasure, if it is known. */
export const READ_ERASURE: Shared<"readErasure"> = {
  ...READ,
  decode: decodeErasure,
  none: () => undefined,
};

/** A page of registered scopes; none where nothing lists them. */
export const LIST_SCOPES: Shared<"listScopes"> = {
  ...READ,
  headers: ({ countTo }): Readonly<Record<string, string>> =>
    countTo === undefined ? {} : { [COUNT_HEADER]: String(countTo) },
  decode: (part, { limit }) => decodeScopes(part, limit),
  none: () => ({ paths: [], isCut: false, nextCursor: undefined }),
};
