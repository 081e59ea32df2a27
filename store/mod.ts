/**
 * The store: PostgreSQL behind sessions and root data.
 *
 * It knows nothing of MCP, catalog or HTTP: what it needs of them comes in as
 * plain data.
 *
 * @module
 */
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
export type { DiskSpace } from "./disk.ts";
export type { Store, StoreOptions } from "./store.ts";
export { openStore } from "./store.ts";
