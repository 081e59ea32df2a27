/**
 * `list_root_collections`: what this root may store and what it holds.
 *
 * @module
 */
import {
  type CollectionUsage,
  DEFAULT_PAGE_BYTES,
  DEFAULT_PAGE_RECORDS,
  listCollections,
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
} from "../../../store/root_data/mod.ts";
import { MAX_DATA_DEPTH } from "../../../store/pg/mod.ts";
import {
  type AgentRoot,
  type CatalogSnapshot,
  type CollectionDeclaration,
  MAX_RETENTION_DAYS,
  measureSchema,
} from "../../../catalog/mod.ts";
import { resolveRootData } from "../../caller/calling_root.ts";
import { cutField, isoTime } from "../../render.ts";
import {
  COUNT,
  FLAG,
  listOf,
  NO_INPUT,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
} from "../../schema.ts";
import { defineTool } from "../tool.ts";

/** A larger schema is left out whole: a cut one would read as a whole one. */
const MAX_SCHEMA_BYTES = 8 * 1024;

const COLLECTION = objectOf({
  name: TEXT,
  declared: FLAG,
  writable: FLAG,
  description: orNull(TEXT),
  retention_days: orNull(COUNT),
  records: COUNT,
  bytes: COUNT,
  last_write_at: orNull(TIME),
}, {
  schema: orNull({ type: ["object", "boolean"] }),
  not_writable_because: TEXT,
  schema_ignored: FLAG,
  schema_omitted: objectOf({ bytes: COUNT }),
});

const COLLECTIONS = objectOf({
  namespace: TEXT,
  agent_root: TEXT,
  limits: objectOf({
    data_bytes_per_record: COUNT,
    data_levels: COUNT,
    records_per_collection: COUNT,
    collections_holding_records: COUNT,
    writes_per_collection_per_minute: COUNT,
    key_characters: COUNT,
    collection_name_characters: COUNT,
    retention_days: COUNT,
    search_page_records: COUNT,
    search_page_records_default: COUNT,
    search_page_bytes: COUNT,
    search_page_bytes_default: COUNT,
    search_filter_bytes: COUNT,
    search_filter_values: COUNT,
  }),
  collections_holding_records: COUNT,
  collections: listOf(COLLECTION),
}, {
  note: TEXT,
  catalog: objectOf({ stale: FLAG, as_of: TIME, reason: orNull(TEXT) }),
});

/** The tool. */
export const listRootCollections = defineTool({
  name: "list_root_collections",
  title: "List root collections",
  access: "read",
  description:
    "Shows the document store of this session's agent root: its namespace, the limits, and each collection with its schema, retention and usage. Call it first: only declared collections can be written, and everything that earlier sessions of this root stored is listed here.",
  isDestructive: false,
  isIdempotent: true,
  isShownAtOnce: true,
  input: NO_INPUT,
  output: COLLECTIONS,
  async run(context) {
    const { db, namespace, root, catalog } = await resolveRootData(context, {
      isAnew: true,
    });
    const held = await listCollections(db, namespace, { withEmptied: true });
    const usage = new Map(held.map((one) => [one.collection, one]));
    const holding = held.filter(({ records }) => records > 0)
      .map(({ collection }) => collection);
    const names = [...new Set([...root.collections.keys(), ...holding])].sort();
    const shapes = await Promise.all(names.map(async (name) => ({
      ...shape(name, root.collections.get(name), usage.get(name)),
      ...await unusable(catalog, root, name),
    })));
    return {
      namespace,
      agent_root: root.name,
      limits: {
        data_bytes_per_record: MAX_DATA_BYTES,
        data_levels: MAX_DATA_DEPTH,
        records_per_collection: MAX_RECORDS_PER_COLLECTION,
        collections_holding_records: MAX_COLLECTIONS_PER_NAMESPACE,
        writes_per_collection_per_minute: MAX_WRITES_PER_WINDOW,
        key_characters: MAX_KEY_CHARACTERS,
        collection_name_characters: MAX_COLLECTION_NAME_CHARACTERS,
        retention_days: MAX_RETENTION_DAYS,
        search_page_records: MAX_PAGE_RECORDS,
        search_page_records_default: DEFAULT_PAGE_RECORDS,
        search_page_bytes: MAX_PAGE_BYTES,
        search_page_bytes_default: DEFAULT_PAGE_BYTES,
        search_filter_bytes: MAX_FILTER_BYTES,
        search_filter_values: MAX_FILTER_LEAVES,
      },
      collections_holding_records: holding.length,
      collections: shapes,
      ...(names.length > 0 ? {} : {
        note:
          `Nothing is declared and nothing is stored. To write, add "data_collections" to the catalog entry of root "${root.name}", for example {"notes": {}}`,
      }),
      ...(catalog.stale
        ? {
          catalog: {
            stale: true,
            as_of: catalog.readAt.toISOString(),
            reason: catalog.staleReason ?? null,
          },
        }
        : {}),
    };
  },
});

function shape(
  name: string,
  declaration: CollectionDeclaration | undefined,
  usage: CollectionUsage | undefined,
): Shape {
  return {
    name,
    declared: declaration !== undefined,
    writable: declaration !== undefined,
    description: declaration?.description ?? null,
    ...schemaShape(declaration),
    retention_days: declaration?.retentionDays ?? null,
    records: usage?.records ?? 0,
    bytes: usage?.bytes ?? 0,
    last_write_at: isoTime(usage?.lastWriteAt ?? null),
  };
}

/** Says of a collection whose schema cannot be used that every write is refused. */
async function unusable(
  catalog: CatalogSnapshot,
  root: AgentRoot,
  collection: string,
): Promise<Pick<Shape, "not_writable_because"> & { writable?: false }> {
  const problem = await catalog.schemaProblem(root, collection);
  return problem === undefined ? {} : {
    writable: false,
    not_writable_because: `Its declared schema cannot be used: ${
      cutField(problem)
    }`,
  };
}

type Shape = ValueOf<typeof COLLECTION>;

function schemaShape(
  declaration: CollectionDeclaration | undefined,
): Pick<Shape, "schema" | "schema_ignored" | "schema_omitted"> {
  const schema = declaration?.schema;
  if (declaration?.schemaIgnored) return { schema: null, schema_ignored: true };
  if (schema === undefined) return { schema: null };
  const bytes = measureSchema(schema);
  return bytes > MAX_SCHEMA_BYTES ? { schema_omitted: { bytes } } : { schema };
}
