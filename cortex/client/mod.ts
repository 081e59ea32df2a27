/**
 * Clients of CortexDB, for both of its wires.
 *
 * @module
 */
export { createDirectClient } from "./client_direct.ts";
export { createHostedClient } from "./client_hosted.ts";
export type {
  CallOptions,
  ClientLimits,
  ClientOptions,
  Clock,
  CortexClient,
  WriteOptions,
} from "./client_types.ts";
export type {
  FoundPassage,
  RankedEvent,
  RankedPack,
  RecallAcrossQuery,
  RepairedWord,
} from "./recall_across.ts";
export type {
  Answer,
  AnswerQuery,
  AppendReceipt,
  Citation,
  EraseRequest,
  Erasure,
  ErasureId,
  EventDraft,
  EventId,
  EventPage,
  EventQuery,
  Fold,
  FoldPart,
  ForgetRequest,
  Forgotten,
  Health,
  Modality,
  Pack,
  PackId,
  RecallQuery,
  ScopeListing,
  ScopeListQuery,
  ScopeMember,
  ScopeMembers,
  StoredEvent,
  Tally,
} from "./wire.ts";
