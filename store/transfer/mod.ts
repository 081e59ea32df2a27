/**
 * Backup and restore of the database, export and import of records.
 *
 * @module
 */
export type { BackupReport } from "./backup.ts";
export { backupDatabase } from "./backup.ts";
export type { ExportReport, ExportRequest } from "./export.ts";
export { exportRecords } from "./export.ts";
export type { ImportOptions, ImportReport } from "./import.ts";
export { importRecords } from "./import.ts";
export type { ImportRecord } from "./import_line.ts";
export type { RestoreOptions, RestoreReport } from "./restore.ts";
export { restoreDatabase } from "./restore.ts";
