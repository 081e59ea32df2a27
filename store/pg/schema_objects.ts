/**
 * Names of everything that the migrations make, read from their text: what a
 * backup holds, and what a restore replaces. Whatever else is in the database
 * belongs to others.
 *
 * @module
 */
import { MIGRATIONS } from "../migrations/migrations.ts";

const CREATE_REGEXP = /^create (?:or replace )?(table|function|type) (\w+)/gm;

function namesOf(kind: string): readonly string[] {
  const names = MIGRATIONS.flatMap(({ sql }) =>
    [...sql.matchAll(CREATE_REGEXP)].filter((match) => match[1] === kind)
      .map((match) => String(match[2]))
  );
  return [...new Set(names)];
}

/** Tables in the order in which they are made: a table refers to earlier ones. */
export const TABLES: readonly string[] = namesOf("table");
/** Tables into which migrations themselves put rows, before anybody else does. */
export const SEEDED_TABLES: readonly string[] = [
  ...new Set(
    MIGRATIONS.flatMap(({ sql }) =>
      [...sql.matchAll(/^insert into (\w+)/gm)].map((match) => String(match[1]))
    ),
  ),
];
/** Functions; no two share a name. */
export const FUNCTIONS: readonly string[] = namesOf("function");
/** Composite types that are no table's. */
export const TYPES: readonly string[] = namesOf("type");
