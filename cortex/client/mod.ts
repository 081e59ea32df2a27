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
export {
  type Answer,
  type AnswerQuery,
  type AppendReceipt,
  type Citation,
  draftKey,
  type EraseRequest,
  type Erasure,
  type ErasureId,
  type EventDraft,
  type EventId,
  type EventPage,
  type EventQuery,
  type ForgetRequest,
  type Forgotten,
  type Health,
  type Modality,
  type Pack,
  type PackId,
  type RecallQuery,
  type ScopeListing,
  type ScopeListQuery,
  type ScopeMember,
  type ScopeMembers,
  type StoredEvent,
} from "./wire.ts";
