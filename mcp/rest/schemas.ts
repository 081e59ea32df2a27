/**
 * Schemas of what REST answers, as the OpenAPI document has them.
 *
 * @module
 */
import { SESSION_DRIVERS, SESSION_STATUSES } from "../../store/sessions/mod.ts";
import type { Schema } from "./route.ts";

const TEXT: Schema = { type: "string" };
const COUNT: Schema = { type: "integer", minimum: 0 };
const FLAG: Schema = { type: "boolean" };
const TIME: Schema = { type: "string", format: "date-time" };
const FREE: Schema = { type: "object" };

/** A schema of the components. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** An object; every property is there unless it is named as optional. */
export function objectOf(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties).filter((name) =>
      !optional.includes(name)
    ),
  };
}

/** A list. */
export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

/** The schema, or null. */
export function orNull(schema: Schema): Schema {
  if (typeof schema.type !== "string") {
    return { anyOf: [schema, { type: "null" }] };
  }
  const { enum: values, ...rest } = schema;
  return {
    ...rest,
    type: [schema.type, "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}

const USAGE = { records: COUNT, bytes: COUNT, last_write_at: orNull(TIME) };

/** The components, by name. */
export const COMPONENTS: Readonly<Record<string, Schema>> = {
  Error: {
    ...objectOf({
      error: { ...TEXT, description: "Label for programs" },
      message: { ...TEXT, description: "All messages in one text" },
      messages: listOf(TEXT),
    }),
    description: "What every refused request is answered with",
  },
  Pagination: objectOf({
    page: COUNT,
    per_page: COUNT,
    total_count: COUNT,
    total_pages: COUNT,
  }),
  CatalogHealth: objectOf({
    state: { type: "string", enum: ["fresh", "stale", "empty"] },
    source: TEXT,
    is_example: FLAG,
    read_at: orNull(TIME),
    age_seconds: orNull(COUNT),
    stale_reason: orNull(TEXT),
    last_error: orNull(objectOf({ at: orNull(TIME), reason: TEXT })),
    roots: COUNT,
    collections: COUNT,
    ignored_total: COUNT,
    ignored: listOf(objectOf({
      source: TEXT,
      pointer: TEXT,
      reason: TEXT,
      level: { type: "string", enum: ["error", "warning"] },
    })),
  }),
  RootDataHealth: objectOf({
    status: { type: "string", enum: ["ok", "warning", "unavailable"] },
    error: { ...TEXT, description: "Only when it is unavailable" },
    reasons: listOf(TEXT),
    totals: objectOf({
      namespaces: COUNT,
      collections: COUNT,
      records: COUNT,
      bytes: COUNT,
    }),
    namespaces: listOf(
      objectOf({ namespace: TEXT, collections: COUNT, ...USAGE }),
    ),
    namespaces_omitted: COUNT,
    overdue: objectOf({
      records: COUNT,
      is_floor: FLAG,
      oldest_expires_at: orNull(TIME),
      threshold_hours: COUNT,
    }),
    near_cap: listOf(objectOf({
      namespace: TEXT,
      collection: TEXT,
      records: COUNT,
      limit: COUNT,
      pct: COUNT,
    })),
    last_recount_at: orNull(TIME),
  }, [
    "error",
    "reasons",
    "totals",
    "namespaces",
    "namespaces_omitted",
    "overdue",
    "near_cap",
    "last_recount_at",
  ]),
  MemoryHealth: objectOf({
    state: { type: "string", enum: ["healthy", "degraded", "down"] },
    wire: orNull({ type: "string", enum: ["direct", "hosted"] }),
    service: orNull(TEXT),
    layout: orNull({ type: "string", enum: ["legacy", "v3"] }),
    root: orNull(TEXT),
    message: orNull(TEXT),
  }),
  Health: objectOf({
    status: { type: "string", enum: ["ok", "warning"] },
    time: TIME,
    version: TEXT,
    catalog: ref("CatalogHealth"),
    root_data_health: ref("RootDataHealth"),
    memory: orNull(ref("MemoryHealth")),
  }),
  AgentRoot: objectOf({
    name: TEXT,
    description: orNull(TEXT),
    namespace: TEXT,
    namespace_is_valid: FLAG,
    collections: listOf(TEXT),
    memory_node: orNull(TEXT),
  }),
  Session: objectOf({
    id: COUNT,
    agent_root: orNull(TEXT),
    title: TEXT,
    slug: orNull(TEXT),
    status: { type: "string", enum: SESSION_STATUSES },
    driven_by: { type: "string", enum: SESSION_DRIVERS },
    parent_session_id: orNull(COUNT),
    tool_groups: orNull(listOf(TEXT)),
    has_token: FLAG,
    metadata: FREE,
    custom_metadata: FREE,
    created_at: TIME,
    updated_at: TIME,
    archived_at: orNull(TIME),
  }),
  ConnectionEntry: objectOf({
    client: TEXT,
    format: { type: "string", enum: ["json", "toml"] },
    text: { ...TEXT, description: "Ready to be pasted" },
    entry: orNull({
      ...FREE,
      description: "The same parsed, where it is JSON",
    }),
  }),
  Namespace: objectOf({ namespace: TEXT, collections: COUNT, ...USAGE }),
  Collection: objectOf({
    name: TEXT,
    declared_by: listOf(TEXT),
    ...USAGE,
  }),
  Record: objectOf({
    id: COUNT,
    key: orNull(TEXT),
    data: FREE,
    bytes: COUNT,
    created_at: TIME,
    updated_at: TIME,
    expires_at: orNull(TIME),
    writing_session_id: orNull(COUNT),
  }),
  RecordPage: objectOf({
    namespace: TEXT,
    collection: TEXT,
    filter: FREE,
    order: TEXT,
    limit: COUNT,
    offset: COUNT,
    total: COUNT,
    returned: COUNT,
    has_more: FLAG,
    next_offset: orNull(COUNT),
    truncated: FLAG,
    note: TEXT,
    records: listOf(ref("Record")),
  }, ["note"]),
};
