/**
 * `/v1/scopes`, `/v1/scopes/members` and `/v1/scopes/list`: the registry.
 *
 * A write registers exactly the scope it lands in and makes its writer the
 * owner. Members are kept and given back; who may read and write is decided by
 * the key in front of the service.
 *
 * @module
 */
import {
  assertKnownQuery,
  limitParameter,
  numberHeader,
  requiredParameter,
  switchParameter,
  type WireCall,
} from "./call.ts";
import { COUNT_HEADER } from "../client/headers.ts";
import { invalid, WireError } from "./wire_error.ts";
import type { LogMember, ScopeRecord } from "./port.ts";
import {
  assertKnown,
  optionalRecord,
  optionalWord,
  requiredText,
} from "./fields.ts";
import { isRecord, type JsonRecord, readJsonBody } from "./json_body.ts";
import {
  assertScopePath,
  assertScopePrefix,
  MAX_PATH_CHARACTERS,
} from "./scope_path.ts";

const ROLES = ["owner", "writer", "reader"];
const MAX_MEMBERS = 1_000;
/** The wire cuts at a thousand without a word; here a page says what follows. */
const LIMIT = { standard: 10_000, most: 10_000 };

/** Registers a scope. */
export async function postScope(
  { request, log }: WireCall,
): Promise<Response> {
  const body = await readJsonBody(request);
  assertKnown(body, ["path", "members", "policies"]);
  const path = assertScopePath(requiredText(body, "path", MAX_PATH_CHARACTERS));
  const record = await log.registerScope({
    path,
    members: readMembers(body, []),
    policies: optionalRecord(body, "policies") ?? {},
  });
  if (record !== undefined) {
    return Response.json(toWireScope(record), { status: 201 });
  }
  throw new WireError(
    409,
    "SCOPE_REGISTRATION_EXISTS",
    "The scope is registered already; read its record for its owner",
  );
}

/** The record of a scope. */
export async function getScope(
  { query, log }: WireCall,
): Promise<Response> {
  assertKnownQuery(query, ["path"]);
  const path = assertScopePath(requiredParameter(query, "path"));
  return found(await log.findScope(path));
}

/** Replaces the members of a scope. */
export async function putMembers(
  { request, query, log }: WireCall,
): Promise<Response> {
  assertKnownQuery(query, ["path"]);
  const path = assertScopePath(requiredParameter(query, "path"));
  const body = await readJsonBody(request);
  assertKnown(body, ["members"]);
  return found(await log.replaceMembers(path, readMembers(body)));
}

/** Registered scopes at and below a path. */
export async function getScopeList(
  { request, query, log }: WireCall,
): Promise<Response> {
  assertKnownQuery(query, ["prefix", "auto_provisioned", "limit", "cursor"]);
  const prefix = query.get("prefix") ?? undefined;
  if (prefix === "") {
    throw invalid("prefix must not be empty: leave it out", "INVALID_QUERY");
  }
  const cursor = query.get("cursor");
  const limit = limitParameter(query, LIMIT);
  const isStrictlyBelow = prefix?.endsWith("/") === true;
  const scopes = await log.listScopes({
    prefix: prefix === undefined
      ? undefined
      : assertScopePrefix(prefix.replace(/\/$/, "")),
    isStrictlyBelow,
    isAutoProvisioned: switchParameter(query, "auto_provisioned"),
    after: cursor === null ? undefined : assertScopePrefix(cursor),
    limit: limit + 1,
    countTo: numberHeader(request, COUNT_HEADER),
  });
  const page = scopes.slice(0, limit);
  const hasMore = scopes.length > limit;
  return Response.json({
    items: page.map(toWireScope),
    has_more: hasMore,
    next_cursor: hasMore ? page.at(-1)?.path : null,
  });
}

function found(record: ScopeRecord | undefined): Response {
  if (record !== undefined) return Response.json(toWireScope(record));
  throw new WireError(404, "NOT_FOUND", "The scope is not registered");
}

function readMembers(
  body: JsonRecord,
  standard?: readonly LogMember[],
): readonly LogMember[] {
  const members = body.members ?? standard;
  if (!Array.isArray(members) || members.length > MAX_MEMBERS) {
    throw invalid(`members must be a list of at most ${MAX_MEMBERS} members`);
  }
  return members.map((member, index) => {
    const place = `members[${index}]`;
    if (!isRecord(member)) throw invalid(`${place} must be an object`);
    assertKnown(member, ["actor", "role"], `${place}.`);
    const role = optionalWord(member, "role", ROLES);
    if (role === undefined) throw invalid(`${place}.role is required`);
    return { actor: requiredText(member, "actor", 256), role };
  });
}

function toWireScope(record: ScopeRecord): JsonRecord {
  return {
    path: record.path,
    members: record.members,
    policies: record.policies,
    auto_provisioned: record.isAutoProvisioned,
    created_at: record.createdAt,
    ...(record.events === undefined ? {} : { events: record.events }),
    inherited_policy: { default_view: "holistic" },
  };
}
