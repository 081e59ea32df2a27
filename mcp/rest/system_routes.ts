/**
 * Routes of the server itself: health report and catalog.
 *
 * @module
 */
import type { AgentRoot } from "../../catalog/mod.ts";
import { readCatalogHealth, readHealth } from "../watch/health.ts";
import {
  FLAG,
  inputOf,
  listOf,
  NO_INPUT,
  objectOf,
  orNull,
  TEXT,
  type ValueOf,
} from "../schema.ts";
import { CATALOG_HEALTH, HEALTH } from "../watch/health_shape.ts";
import { PAGE_INPUT, pageOf, PAGINATION, paginationOf } from "./paging.ts";
import { defineRoute, type RestRoute } from "./route.ts";

/** An agent root of the catalog. */
export const AGENT_ROOT = objectOf({
  name: TEXT,
  description: orNull(TEXT),
  namespace: TEXT,
  namespace_is_valid: FLAG,
  collections: listOf(TEXT),
  memory_node: orNull(TEXT),
});

/** The routes. */
export const SYSTEM_ROUTES: readonly RestRoute[] = [
  defineRoute({
    method: "GET",
    path: "/health",
    operationId: "get_health",
    summary: "The health report: catalog, root data and memory",
    input: NO_INPUT,
    output: HEALTH,
    run: ({ services }) => readHealth(services),
  }),
  defineRoute({
    method: "GET",
    path: "/catalog",
    operationId: "get_catalog",
    summary: "Where the catalog stands, and what was left out of it",
    input: NO_INPUT,
    output: CATALOG_HEALTH,
    run: ({ services }) => readCatalogHealth(services),
  }),
  defineRoute({
    method: "GET",
    path: "/catalog/roots",
    operationId: "list_agent_roots",
    summary: "Agent roots of the catalog by name, with what they declare",
    input: inputOf(PAGE_INPUT),
    output: objectOf({
      roots: listOf(AGENT_ROOT),
      pagination: PAGINATION,
    }),
    async run({ services }, args) {
      const { roots } = await services.catalog.current();
      const page = pageOf(args);
      const names = [...roots.keys()].sort()
        .slice(page.offset, page.offset + page.limit);
      return {
        roots: names.flatMap((name) => {
          const root = roots.get(name);
          return root === undefined ? [] : [rootShape(root)];
        }),
        pagination: paginationOf(page, roots.size),
      };
    },
  }),
];

function rootShape(root: AgentRoot): ValueOf<typeof AGENT_ROOT> {
  return {
    name: root.name,
    description: root.description ?? null,
    namespace: root.namespace,
    namespace_is_valid: root.namespaceIsValid,
    collections: [...root.collections.keys()],
    memory_node: root.memoryNode ?? null,
  };
}
