/**
 * The store: PostgreSQL behind sessions and root data.
 *
 * It knows nothing of MCP, catalog or HTTP: what it needs of them comes in as
 * plain data.
 *
 * @module
 */
export type { BackupReport } from "./backup.ts";
export { backupDatabase } from "./backup.ts";
export type {
  BrowsedCounter,
  BrowsedRecord,
  BrowseRequest,
  CounterBrowsePage,
  CounterBrowseRequest,
  KeyFilter,
  RecordBrowsePage,
  RecordBrowseRequest,
} from "./browse.ts";
export { browseCounters, browseRecords } from "./browse.ts";
export type { JsonObject, SerializedData } from "./data.ts";
export { serializeData } from "./data.ts";
export type {
  DatabaseTarget,
  Db,
  PoolFigures,
  Queryable,
  Row,
  Transaction,
} from "./db.ts";
export type {
  BackupErrorCode,
  MigrationErrorCode,
  RefusalCode,
  UnavailableCode,
} from "./errors.ts";
export {
  BackupError,
  MigrationError,
  StoreRefusalError,
  StoreUnavailableError,
} from "./errors.ts";
export type {
  Cluster,
  ClusterEvent,
  ClusterOptions,
} from "./embedded/cluster.ts";
export type { ClusterStatus, StopReport } from "./embedded/status.ts";
export { clusterStatus, openCluster, stopCluster } from "./cluster.ts";
export { defaultHome } from "./embedded/default_home.ts";
export type { ClusterErrorCode } from "./embedded/errors.ts";
export { ClusterError } from "./embedded/errors.ts";
export type { ExportReport, ExportRequest } from "./export.ts";
export { exportRecords } from "./export.ts";
export type { ImportOptions, ImportReport } from "./import.ts";
export { importRecords } from "./import.ts";
export type { ImportRecord } from "./import_line.ts";
export type { EventLogOptions } from "./event_log.ts";
export { PostgresEventLog } from "./event_log.ts";
export type {
  ErasureRecord,
  EventFilter,
  EventForgetRequest,
  EventInput,
  EventListRequest,
  EventReach,
  EventReceipt,
  EventRecord,
  EventScope,
  EventScopeMember,
  EventScopeQuery,
  EventSearchRequest,
  EventsOutcome,
  OpenDb,
} from "./event_log_types.ts";
export type { RootDataHealth } from "./health.ts";
export { readRootDataHealth } from "./health.ts";
export {
  DEFAULT_PAGE_RECORDS,
  MAX_COLLECTIONS_PER_NAMESPACE,
  MAX_DATA_BYTES,
  MAX_KEY_CHARACTERS,
  MAX_PAGE_BYTES,
  MAX_PAGE_RECORDS,
  MAX_RECORDS_PER_COLLECTION,
  MAX_WRITES_PER_WINDOW,
} from "./limits.ts";
export type { MigrateReport } from "./migrate.ts";
export { migrate } from "./migrate.ts";
export type { Migration } from "./migrations.ts";
export type { NamespacePage, NamespaceUsage } from "./namespaces.ts";
export { listNamespaces } from "./namespaces.ts";
export type { RecordSelector } from "./names.ts";
export { assertCollectionName, assertKey, assertNamespace } from "./names.ts";
export type {
  CollectionAddress,
  CollectionUsage,
  DeleteReceipt,
  RecordHead,
  StoredRecord,
  WriteReceipt,
  WriteRequest,
} from "./records.ts";
export {
  appendRecord,
  deleteRecord,
  getRecord,
  listCollections,
  putRecord,
} from "./records.ts";
export type { RestoreOptions, RestoreReport } from "./restore.ts";
export { restoreDatabase } from "./restore.ts";
export type { Drift, SweepOptions, SweepReport } from "./retention.ts";
export { sweep } from "./retention.ts";
export type { SearchOrder, SearchPage, SearchRequest } from "./search.ts";
export { searchRecords } from "./search.ts";
export type {
  NewSession,
  Session,
  SessionFilter,
  SessionStatus,
  StartedSession,
} from "./sessions.ts";
export {
  archiveSession,
  countSessions,
  findSession,
  findSessionByName,
  findSessionByToken,
  isSessionToken,
  listSessions,
  SESSION_STATUSES,
  startSession,
} from "./sessions.ts";
export type { Store, StoreOptions } from "./store.ts";
export { openStore } from "./store.ts";
