/**
 * Routes that read root data. There is none that writes: writes go through the
 * tools, which know the calling session.
 *
 * @module
 */
import {
  assertCollectionName,
  assertNamespace,
  getRecord,
  listCollections,
  listNamespaces,
} from "../../store/root_data/mod.ts";
import { ToolError } from "../errors.ts";
import { isoTime } from "../render.ts";
import {
  COLLECTION_INPUT,
  ID_INPUT,
  KEY_INPUT,
  selectorOf,
} from "../tools/root_data/inputs.ts";
import { RECORD, recordShape } from "../tools/root_data/shapes.ts";
import {
  RECORD_PAGE as SEARCH_PAGE,
  SEARCH_INPUT,
  searchPage,
} from "../tools/root_data/search_page.ts";
import type { Services } from "../services.ts";
import {
  COUNT,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
} from "../schema.ts";
import { PAGE_INPUT, pageOf, PAGINATION, paginationOf } from "./paging.ts";
import { defineRoute, type RestRoute } from "./route.ts";

const NAMESPACE_INPUT = {
  type: "string",
  description: "Namespace, as /root_data/namespaces shows it",
} as const;
const ADDRESS_INPUT = {
  namespace: NAMESPACE_INPUT,
  collection: {
    ...COLLECTION_INPUT,
    description: "Name of the collection, as /root_data/collections shows it",
  },
};

const USAGE = { records: COUNT, bytes: COUNT, last_write_at: orNull(TIME) };

/** A namespace that holds records. */
export const NAMESPACE = objectOf({
  namespace: TEXT,
  collections: COUNT,
  ...USAGE,
});

/** A collection, and the roots that declare it. */
export const COLLECTION = objectOf({
  name: TEXT,
  declared_by: listOf(TEXT),
  ...USAGE,
});

/** A page of records. */
export const RECORD_PAGE = {
  ...SEARCH_PAGE,
  properties: { namespace: TEXT, ...SEARCH_PAGE.properties },
  required: ["namespace", ...SEARCH_PAGE.required] as const,
};

/** The routes. */
export const ROOT_DATA_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "GET",
    path: "/root_data/namespaces",
    operationId: "list_namespaces",
    summary: "Namespaces that hold records, by name",
    input: inputOf(PAGE_INPUT),
    output: objectOf({
      namespaces: listOf(NAMESPACE),
      pagination: PAGINATION,
    }),
    async run({ services }, args) {
      const page = pageOf(args);
      const found = await listNamespaces(await services.store.db(), page);
      return {
        namespaces: found.namespaces.map(({ lastWriteAt, ...usage }) => ({
          ...usage,
          last_write_at: isoTime(lastWriteAt),
        })),
        pagination: paginationOf(page, found.total),
      };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/root_data/collections",
    operationId: "list_collections",
    summary:
      "Collections of a namespace: those that hold records, and those that agent roots declare",
    input: inputOf({ namespace: NAMESPACE_INPUT }, ["namespace"]),
    output: objectOf({
      namespace: TEXT,
      agent_roots: listOf(TEXT),
      collections: listOf(COLLECTION),
    }),
    async run({ services }, args) {
      const { namespace } = args;
      assertNamespace(namespace);
      const [db, { agentRoots, declaredBy }] = await Promise.all([
        services.store.db(),
        declarationsOf(services, namespace),
      ]);
      const stored = new Map(
        (await listCollections(db, namespace))
          .map((one) => [one.collection, one]),
      );
      if (agentRoots.length === 0 && stored.size === 0) {
        throw new ToolError(
          `Namespace "${namespace}" holds no records, and no agent root of the catalog has it`,
          { reason: "not_found" },
        );
      }
      const names = [...new Set([...declaredBy.keys(), ...stored.keys()])];
      return {
        namespace,
        agent_roots: agentRoots,
        collections: names.sort().map((name) => {
          const usage = stored.get(name);
          return {
            name,
            declared_by: declaredBy.get(name) ?? [],
            records: usage?.records ?? 0,
            bytes: usage?.bytes ?? 0,
            last_write_at: isoTime(usage?.lastWriteAt ?? null),
          };
        }),
      };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/root_data/records",
    operationId: "search_records",
    summary:
      "One page of a collection's records, with the filters and limits of search_root_records",
    input: inputOf({ ...ADDRESS_INPUT, ...SEARCH_INPUT }, [
      "namespace",
      "collection",
    ]),
    output: RECORD_PAGE,
    async run({ services, signal }, args) {
      const { namespace, collection } = args;
      assertNamespace(namespace);
      const db = await services.store.db();
      const page = await searchPage(
        db,
        { namespace, collection, signal },
        args,
        () => `Nothing is stored in "${collection}" of "${namespace}"`,
      );
      return { namespace, ...page };
    },
  }),
  defineRoute({
    method: "GET",
    path: "/root_data/record",
    operationId: "get_record",
    summary: "One record, by key or by id (exactly one of them)",
    input: inputOf({ ...ADDRESS_INPUT, key: KEY_INPUT, id: ID_INPUT }, [
      "namespace",
      "collection",
    ]),
    output: objectOf({
      namespace: TEXT,
      collection: TEXT,
      record: RECORD,
    }),
    async run({ services }, args) {
      const selector = selectorOf(args);
      const { namespace, collection } = args;
      assertNamespace(namespace);
      assertCollectionName(collection);
      const record = await getRecord(
        await services.store.db(),
        { namespace, collection },
        selector,
      );
      return { namespace, collection, record: recordShape(record) };
    },
  }),
];

/** Roots of a namespace, and which of them declare which collection. */
async function declarationsOf(
  { catalog }: Services,
  namespace: string,
): Promise<{
  readonly agentRoots: readonly string[];
  readonly declaredBy: ReadonlyMap<string, readonly string[]>;
}> {
  const { roots } = await catalog.current();
  const own = [...roots.values()].filter((root) =>
    root.namespaceIsValid && root.namespace === namespace
  );
  const declaredBy = new Map<string, string[]>();
  for (const { name, collections } of own) {
    for (const collection of collections.keys()) {
      declaredBy.set(collection, [
        ...(declaredBy.get(collection) ?? []),
        name,
      ]);
    }
  }
  return { agentRoots: own.map(({ name }) => name).sort(), declaredBy };
}
