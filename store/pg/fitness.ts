/**
 * Whether a database is one that this program can keep its promises on: its
 * release, its encoding, and the settings that no session here can pin.
 *
 * @module
 */
import { MigrationError } from "../errors.ts";
import type { Db, Row } from "./db.ts";

/** Oldest PostgreSQL that the schema is written for. */
const MIN_SERVER_VERSION = 140_000;

/** What the database says of itself. */
interface Facts extends Row {
  readonly version: number;
  readonly version_text: string;
  readonly encoding: string;
  readonly isolation: string;
  readonly schema: string | null;
}

/** Looks at the database. @throws {MigrationError} It does not fit. */
export async function assertFit(db: Db): Promise<void> {
  const [facts] = await db.read<Facts>(
    `select current_setting('server_version_num')::int as version,
       current_setting('server_version') as version_text,
       current_setting('server_encoding') as encoding,
       current_setting('default_transaction_isolation') as isolation,
       current_schema()::text as schema`,
  );
  if (facts === undefined) return;
  const { version, encoding, isolation, schema } = facts;
  if (version < MIN_SERVER_VERSION) {
    throw new MigrationError(
      "old_server",
      `PostgreSQL ${facts.version_text} is too old: Rootcellar needs ${
        MIN_SERVER_VERSION / 10_000
      } or newer`,
    );
  }
  // Others refuse some texts, or, like SQL_ASCII, take bytes that are none.
  if (encoding !== "UTF8") {
    throw new MigrationError(
      "wrong_encoding",
      `The database's encoding is ${encoding}, which cannot hold every text: make one with create database NAME encoding 'UTF8' template template0, and name it in DATABASE_URL`,
    );
  }
  // Caps are counted after a lock was waited for, in a snapshot of their own; a
  // transaction with one snapshot for all would count what was there before.
  if (isolation !== "read committed") {
    throw new MigrationError(
      "wrong_isolation",
      `The database's default_transaction_isolation is "${isolation}", and caps hold under "read committed" only: alter role or database to set it`,
    );
  }
  if (schema === null) {
    throw new MigrationError(
      "no_schema",
      `The database's search_path leads to no schema that exists and may be used: alter role or database to set search_path, to public for example, or make the schema that it names`,
    );
  }
}
