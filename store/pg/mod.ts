/**
 * Speaking PostgreSQL: pool, transactions, migrations, and what it can hold.
 *
 * @module
 */
export type {
  Address,
  AddressReading,
  AddressSettings,
  Host,
  Tls,
} from "./address.ts";
export { parseAddress } from "./address.ts";
export type { JsonObject } from "./storable.ts";
export { assertStorable, MAX_DATA_DEPTH } from "./storable.ts";
export type {
  DatabaseTarget,
  Db,
  PoolFigures,
  Queryable,
  ReadBounds,
  Row,
  Transaction,
} from "./db.ts";
export type { MigrateReport } from "./migrate.ts";
export { migrate } from "./migrate.ts";
export { isReadOnly } from "./writable.ts";
export type { Migration } from "../migrations/migrations.ts";
