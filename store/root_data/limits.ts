/**
 * The limits of root data. They protect the shared database, so no root can
 * raise them. Specification: docs/spec/root_data.md section 2.3.
 *
 * @module
 */

/** Most bytes of a record's `data`: compact JSON in UTF-8. */
export const MAX_DATA_BYTES = 32 * 1024;
/** Most records a collection may hold. */
export const MAX_RECORDS_PER_COLLECTION = 10_000;
/** Most collections of a namespace that may hold records at once. */
export const MAX_COLLECTIONS_PER_NAMESPACE = 25;
/** Most accepted writes to a collection in one window. */
export const MAX_WRITES_PER_WINDOW = 60;
/** Length of the fixed rate window, in seconds. */
export const RATE_WINDOW_SECONDS = 60;
/** Most characters (code points) of a record's key. */
export const MAX_KEY_CHARACTERS = 200;
/** Records of a search page when the caller names no limit. */
export const DEFAULT_PAGE_RECORDS = 20;
/** Most records of a search page. */
export const MAX_PAGE_RECORDS = 100;
/** A search page stops before its records pass this many bytes, unless told. */
export const DEFAULT_PAGE_BYTES = 40 * 1024;
/** Most bytes of records that a page may be asked for. */
export const MAX_PAGE_BYTES = 200 * 1024;
/** Most bytes of a search's filter: compact JSON in UTF-8. */
export const MAX_FILTER_BYTES = 8 * 1024;
/** Most leaves of a search's filter: scalars, empty objects, empty arrays. */
export const MAX_FILTER_LEAVES = 256;
/** Most characters of a namespace. */
export const MAX_NAMESPACE_CHARACTERS = 200;
/** Namespaces that records may live under. */
export const NAMESPACE_REGEXP = /^[a-z0-9._-]+$/;
/** Names a collection may have. */
export const COLLECTION_NAME_REGEXP = /^[a-z][a-z0-9_-]*$/;
/** Most characters of a collection's name. */
export const MAX_COLLECTION_NAME_CHARACTERS = 200;
