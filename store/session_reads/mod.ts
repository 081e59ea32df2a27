/**
 * What is read of sessions: lists, one with its family, what was said.
 *
 * Nothing here changes anything.
 *
 * @module
 */
export type { ArchiveEntry, ArchiveFigures } from "./archive.ts";
export { readArchive, readArchiveFigures } from "./archive.ts";
export type {
  RemovedTree,
  SessionFacts,
  SummaryFacts,
  TurnFacts,
} from "./facts.ts";
export { readSessionFacts } from "./facts.ts";
export type { Glance } from "./glances.ts";
export { readGlances } from "./glances.ts";
export type { SessionOrder, SessionSearch } from "./filter.ts";
export type { HumanMessage, HumanRecord } from "./human_messages.ts";
export {
  NEWEST_OF_ALL,
  NEWEST_OF_EACH,
  readHumanMessages,
} from "./human_messages.ts";
export type { Family, Relative } from "./lineage.ts";
export { MAX_LEVELS, MAX_NODES, readFamily } from "./lineage.ts";
export type { ListedSession, SessionStanding } from "./listed.ts";
export type { LogLine, SubagentTranscript } from "./logs.ts";
export { readLogs, readSubagents } from "./logs.ts";
export type { ScanRequest, ScanResult } from "./scan.ts";
export { scanSessions } from "./scan.ts";
export type { FoundSessions, SessionSearchPage } from "./search.ts";
export {
  hasTextIndex,
  listRootKeys,
  MAX_COUNTED,
  searchSessions,
} from "./search.ts";
export type { EventPlace, TranscriptEvent } from "./transcript.ts";
export { MAX_EVENTS, readEvents, readNewestEvents } from "./transcript.ts";
