import { deepEqual, equal, match } from "node:assert/strict";
import { declarationCheck } from "../../cli/verbs/import/import_check.ts";
import {
  API_KEY,
  openEndpoint,
  type TestEndpoint,
} from "../support/endpoint.ts";

const ROOTS = {
  gardener: { data_collections: { notes: {} } },
  old: { data_collections: { own: {} }, data_namespace: "lost" },
  "zimmer-router": { data_collections: { runs: {} } },
};
const ALIASES = { old: "gardener" };

async function get(endpoint: TestEndpoint, path: string) {
  const response = await endpoint.fetch(`/api/v1${path}`, {
    headers: { "x-api-key": API_KEY },
  });
  return await response.json();
}

Deno.test("the list of roots shows each root once, with the namespace that its sessions write to", async () => {
  await using endpoint = await openEndpoint({ roots: ROOTS, aliases: ALIASES });
  const { roots, pagination } = await get(endpoint, "/catalog/roots");
  deepEqual(
    roots.map((one: Record<string, unknown>) => [one.name, one.namespace]),
    [["gardener", "gardener"], ["zimmer-router", "zimmer-orchestrator"]],
  );
  equal(pagination.total_count, 2);
  const catalog = await get(endpoint, "/catalog");
  deepEqual([catalog.roots, catalog.collections], [2, 2]);
  const refused = await endpoint.fetch("/api/v1/sessions", {
    method: "POST",
    headers: { "x-api-key": API_KEY, "content-type": "application/json" },
    body: '{"agent_root":"ghost"}',
  });
  match((await refused.json()).message, /it has: gardener, zimmer-router$/);
});

Deno.test("a namespace's declarations are those of the roots that write to it", async () => {
  await using endpoint = await openEndpoint({ roots: ROOTS, aliases: ALIASES });
  const path = "/root_data/collections?namespace=";
  const { agent_roots, collections } = await get(
    endpoint,
    `${path}zimmer-orchestrator`,
  );
  deepEqual(agent_roots, ["zimmer-router"]);
  deepEqual(collections.map((one: { name: string }) => one.name), ["runs"]);
  for (const namespace of ["zimmer-router", "lost"]) {
    equal((await get(endpoint, `${path}${namespace}`)).error, "not_found");
  }
});

Deno.test("an import is checked against the namespaces that sessions write to", async () => {
  await using endpoint = await openEndpoint({ roots: ROOTS, aliases: ALIASES });
  const check = declarationCheck(
    await endpoint.services.catalog.current(),
    false,
  );
  const data = {};
  equal(
    await check({ namespace: "zimmer-orchestrator", collection: "runs", data }),
    undefined,
  );
  match(
    await check({ namespace: "lost", collection: "own", data }) ?? "",
    /No root of the catalog has the namespace "lost"/,
  );
});
