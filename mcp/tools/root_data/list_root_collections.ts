/**
 * `list_root_collections`: what this root may store and what it holds.
 *
 * @module
 */
import {
  type CollectionUsage,
  listCollections,
  MAX_COLLECTIONS_PER_NAMESPACE,
  MAX_DATA_BYTES,
  MAX_KEY_CHARACTERS,
  MAX_PAGE_BYTES,
  MAX_PAGE_RECORDS,
  MAX_RECORDS_PER_COLLECTION,
  MAX_WRITES_PER_WINDOW,
} from "../../../store/root_data/mod.ts";
import {
  type CollectionDeclaration,
  measureSchema,
} from "../../../catalog/mod.ts";
import { resolveRootData } from "../../caller/calling_root.ts";
import { isoTime } from "../../render.ts";
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
  schema_ignored: FLAG,
  schema_omitted: objectOf({ bytes: COUNT }),
});

const COLLECTIONS = objectOf({
  namespace: TEXT,
  agent_root: TEXT,
  limits: objectOf({
    data_bytes_per_record: COUNT,
    records_per_collection: COUNT,
    collections_holding_records: COUNT,
    writes_per_collection_per_minute: COUNT,
    key_characters: COUNT,
    search_page_records: COUNT,
    search_page_bytes: COUNT,
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
  input: NO_INPUT,
  output: COLLECTIONS,
  async run(context) {
    const { db, namespace, root, catalog } = await resolveRootData(context);
    const stored = new Map(
      (await listCollections(db, namespace)).map((
        one,
      ) => [one.collection, one]),
    );
    const names = [...new Set([...root.collections.keys(), ...stored.keys()])]
      .sort();
    return {
      namespace,
      agent_root: root.name,
      limits: {
        data_bytes_per_record: MAX_DATA_BYTES,
        records_per_collection: MAX_RECORDS_PER_COLLECTION,
        collections_holding_records: MAX_COLLECTIONS_PER_NAMESPACE,
        writes_per_collection_per_minute: MAX_WRITES_PER_WINDOW,
        key_characters: MAX_KEY_CHARACTERS,
        search_page_records: MAX_PAGE_RECORDS,
        search_page_bytes: MAX_PAGE_BYTES,
      },
      collections_holding_records: stored.size,
      collections: names.map((name) =>
        shape(name, root.collections.get(name), stored.get(name))
      ),
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
): ValueOf<typeof COLLECTION> {
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

function schemaShape(
  declaration: CollectionDeclaration | undefined,
): Pick<
  ValueOf<typeof COLLECTION>,
  "schema" | "schema_ignored" | "schema_omitted"
> {
  const schema = declaration?.schema;
  if (declaration?.schemaIgnored) return { schema: null, schema_ignored: true };
  if (schema === undefined) return { schema: null };
  const bytes = measureSchema(schema);
  return bytes > MAX_SCHEMA_BYTES ? { schema_omitted: { bytes } } : { schema };
}
