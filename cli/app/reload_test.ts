import { deepEqual, equal } from "node:assert/strict";
import type { CatalogLoader, CatalogSnapshot } from "../../catalog/mod.ts";
import { createLog } from "../../mcp/mod.ts";
import { reloadCatalog } from "./reload.ts";

function loaderOf(startedAt: () => Date, stale = false) {
  let readings = 0;
  const catalog = {
    status: () => ({ lastAttemptAt: startedAt() }),
    refresh: () => {
      readings++;
      return Promise.resolve({
        source: "roots.json",
        stale,
        staleReason: stale ? "not JSON" : undefined,
        roots: new Map(),
        ignoredTotal: 0,
      } as unknown as CatalogSnapshot);
    },
  } as unknown as CatalogLoader;
  return { catalog, readings: () => readings };
}

async function eventsOf(catalog: CatalogLoader): Promise<string[]> {
  const events: string[] = [];
  const log = createLog("info", (line) => events.push(JSON.parse(line).event));
  await reloadCatalog(catalog, log);
  return events;
}

Deno.test("reloadCatalog() reads once, and again after a reading that had begun before it", async () => {
  const own = loaderOf(() => new Date(Date.now() + 1));
  deepEqual(await eventsOf(own.catalog), ["catalog_reloaded"]);
  equal(own.readings(), 1);
  const joined = loaderOf(() => new Date(Date.now() - 1_000));
  deepEqual(await eventsOf(joined.catalog), ["catalog_reloaded"]);
  equal(joined.readings(), 2);
});

Deno.test("reloadCatalog() logs why the last good catalog stays, and never rejects", async () => {
  const stale = loaderOf(() => new Date(Date.now() + 1), true);
  deepEqual(await eventsOf(stale.catalog), ["catalog_not_reloaded"]);
  const broken = {
    ...stale.catalog,
    refresh: () => Promise.reject(new Error("gone")),
  };
  deepEqual(await eventsOf(broken), ["catalog_not_reloaded"]);
});
