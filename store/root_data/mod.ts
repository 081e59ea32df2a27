/**
 * Root data: records of collections, their limits, search, retention, health.
 *
 * @module
 */
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
export type { SerializedData } from "./data.ts";
export { serializeData, utf8Bytes } from "./data.ts";
export type { RootDataHealth } from "./health.ts";
export { isSweepOverdue, readRootDataHealth } from "./health.ts";
export {
  DEFAULT_PAGE_BYTES,
  DEFAULT_PAGE_RECORDS,
  MAX_COLLECTION_NAME_CHARACTERS,
  MAX_COLLECTIONS_PER_NAMESPACE,
  MAX_DATA_BYTES,
  MAX_FILTER_BYTES,
  MAX_FILTER_LEAVES,
  MAX_KEY_CHARACTERS,
  MAX_PAGE_BYTES,
  MAX_PAGE_RECORDS,
  MAX_RECORDS_PER_COLLECTION,
  MAX_WRITES_PER_WINDOW,
} from "./limits.ts";
export type { NamespacePage, NamespaceUsage } from "./namespaces.ts";
export { listNamespaces } from "./namespaces.ts";
export type { HeldRecords, Holding, MovedRecords } from "./operate.ts";
export {
  countHeld,
  dropNamespace,
  emptyHeld,
  moveHeld,
  planMove,
} from "./operate.ts";
export type { RecordSelector } from "./names.ts";
export { assertCollectionName, assertKey, assertNamespace } from "./names.ts";
export type {
  CollectionAddress,
  CollectionUsage,
  DeleteReceipt,
  DeleteRequest,
  PutRequest,
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
export type { Drift, SweepOptions, SweepReport } from "./retention.ts";
export { sweep } from "./retention.ts";
export type { SearchOrder, SearchPage, SearchRequest } from "./search.ts";
export { searchRecords } from "./search.ts";
export { operatorIn } from "./search_filter.ts";
