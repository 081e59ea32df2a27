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
  recordShape,
  selectorOf,
} from "../tools/root_data/root_data.ts";
import { SEARCH_INPUT, searchPage } from "../tools/root_data/search_page.ts";
import {
  type Services,
  stringArgument,
  type ToolArguments,
} from "../tools/tool.ts";
import { PAGE_INPUT, pageOf, paginationOf } from "./paging.ts";
import { defineRoute, inputOf, type RestRoute } from "./route.ts";
import { listOf, objectOf, ref } from "./schemas.ts";

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

/** The routes. */
export const ROOT_DATA_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "GET",
    path: "/root_data/namespaces",
    operationId: "list_namespaces",
    summary: "Namespaces that hold records, by name",
    input: inputOf(PAGE_INPUT),
    output: objectOf({
      namespaces: listOf(ref("Namespace")),
      pagination: ref("Pagination"),
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
      namespace: { type: "string" },
      agent_roots: listOf({ type: "string" }),
      collections: listOf(ref("Collection")),
    }),
    async run({ services }, args) {
      const namespace = namespaceOf(args);
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
    output: ref("RecordPage"),
    async run({ services }, args) {
      const namespace = namespaceOf(args);
      const collection = stringArgument(args, "collection");
      const db = await services.store.db();
      const page = await searchPage(
        db,
        { namespace, collection },
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
      namespace: { type: "string" },
      collection: { type: "string" },
      record: ref("Record"),
    }),
    async run({ services }, args) {
      const selector = selectorOf(args);
      const namespace = namespaceOf(args);
      const collection = stringArgument(args, "collection");
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

function namespaceOf(args: ToolArguments): string {
  const namespace = stringArgument(args, "namespace");
  assertNamespace(namespace);
  return namespace;
}

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
