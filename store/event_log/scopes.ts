/**
 * The scope registry of the event log: paths and who has a role in them.
 *
 * @module
 */
import type {
  LogMember,
  LogObject,
  NewScope,
  ScopeListRequest,
  ScopeRecord,
} from "../../cortex/local/port.ts";
import type { Db, Row } from "../pg/db.ts";
import { rootOf } from "./keys.ts";
import { toTime } from "./rows.ts";

const COLUMNS = "path, members, policies, auto_provisioned, created_at";

/** Registers a scope; undefined when it is registered already. */
export async function registerScope(
  db: Db,
  { path, members, policies }: NewScope,
): Promise<ScopeRecord | undefined> {
  const [row] = await db.write<Row>(
    `insert into cortex_scopes (root, path, members, policies, auto_provisioned)
     values ($1, $2, $3::text::jsonb, $4::text::jsonb, false)
     on conflict do nothing returning ${COLUMNS}`,
    [rootOf(path), path, JSON.stringify(members), JSON.stringify(policies)],
  );
  return row === undefined ? undefined : toScope(row);
}

/** A registered scope. */
export async function findScope(
  db: Db,
  path: string,
): Promise<ScopeRecord | undefined> {
  const [row] = await db.read<Row>(
    `select ${COLUMNS} from cortex_scopes where root = $1 and path = $2`,
    [rootOf(path), path],
  );
  return row === undefined ? undefined : toScope(row);
}

/** Replaces the members; undefined when the scope is not registered. */
export async function replaceMembers(
  db: Db,
  path: string,
  members: readonly LogMember[],
): Promise<ScopeRecord | undefined> {
  const [row] = await db.write<Row>(
    `update cortex_scopes set members = $3::text::jsonb
     where root = $1 and path = $2 returning ${COLUMNS}`,
    [rootOf(path), path, JSON.stringify(members)],
  );
  return row === undefined ? undefined : toScope(row);
}

/** The statement behind a listing, exported so that its plan can be asserted. */
export function scopeListStatement(
  hasPrefix: boolean,
  isCounted = false,
): string {
  // What is below a path is one range of the primary key.
  const source = hasPrefix
    ? `(select * from cortex_scopes
          where root = $5 and path = $6 and not $7::boolean
        union all
        select * from cortex_scopes
          where root = $5 and path > $6 || '/' and path < $6 || '0') s`
    : "cortex_scopes s";
  // No more of an index is read than is counted.
  const count = `, (
      select count(*) from (
        select from cortex_events e
        where e.root = s.root and e.scope = s.path
        limit ${hasPrefix ? "$8" : "$5"}::int) n)::int as events`;
  return `
    select ${COLUMNS}${isCounted ? count : ""} from ${source}
    where (root, path) > ($1::text, $2::text)
      and ($3::boolean is null or auto_provisioned = $3::boolean)
    order by root, path limit $4`;
}

/** Registered scopes in the order of their paths. */
export async function listScopes(
  db: Db,
  query: ScopeListRequest,
): Promise<readonly ScopeRecord[]> {
  const { prefix, after, isAutoProvisioned, isStrictlyBelow, countTo } = query;
  const statement = scopeListStatement(
    prefix !== undefined,
    countTo !== undefined,
  );
  const rows = await db.read<Row>(statement, [
    after === undefined ? "" : rootOf(after),
    after ?? "",
    isAutoProvisioned ?? null,
    query.limit,
    ...(prefix === undefined ? [] : [rootOf(prefix), prefix, isStrictlyBelow]),
    ...(countTo === undefined ? [] : [countTo]),
  ]);
  return rows.map(toScope);
}

function toScope(row: Row): ScopeRecord {
  return {
    path: String(row.path),
    // Written by the functions above and by cortex_append only.
    members: row.members as readonly LogMember[],
    policies: row.policies as LogObject,
    isAutoProvisioned: row.auto_provisioned === true,
    createdAt: toTime(row.created_at),
    ...(typeof row.events === "number" ? { events: row.events } : {}),
  };
}
