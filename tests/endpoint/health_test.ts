import { deepEqual, equal, match, ok } from "node:assert/strict";
import { startSession } from "../support/sessions.ts";
import { API_KEY, openEndpoint, sessionQuery } from "../support/endpoint.ts";

const KEY = { "x-api-key": API_KEY };

Deno.test("the health report shows catalog and root data", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  await endpoint.call(query, "append_root_record", {
    collection: "free",
    data: {},
  });
  const response = await endpoint.fetch("/api/v1/health", { headers: KEY });
  equal(response.status, 200);
  const report = await response.json();
  equal(report.status, "ok");
  deepEqual([report.catalog.state, report.catalog.roots], ["fresh", 4]);
  deepEqual(report.root_data_health.totals, {
    namespaces: 1,
    collections: 1,
    records: 1,
    bytes: 2,
  });
});

Deno.test("what was left out of the catalog is in the health report", async () => {
  await using endpoint = await openEndpoint({
    roots: {
      good: { name: "good" },
      bad: 7,
      odd: { data_collections: { X: {} } },
    },
  });
  const report =
    await (await endpoint.fetch("/api/v1/health", { headers: KEY })).json();
  equal(report.status, "warning");
  ok(report.catalog.ignored_total >= 2);
  deepEqual(
    report.catalog.ignored.map((one: { pointer: string }) => one.pointer)
      .sort(),
    ["/bad", "/odd/data_collections/X"],
  );
});

Deno.test("[case 68] a database that fails leaves the rest of the report standing", async () => {
  await using endpoint = await openEndpoint({
    store: {
      isEmbedded: false,
      db: () => Promise.reject(new Error("secret of a driver")),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  });
  const response = await endpoint.fetch("/api/v1/health", { headers: KEY });
  const text = await response.text();
  const report = JSON.parse(text);
  equal(report.root_data_health.status, "unavailable");
  equal(report.catalog.state, "fresh");
  ok(!text.includes("secret of"));
  equal(report.status, "warning");
  deepEqual(report.fleet.unreadable, [
    "recovery mode",
    "lanes of jobs",
    "turns",
    "leases without events",
    "runners",
    "triggers and notices",
  ]);
  const { text: said } = await endpoint.call("", "get_system_health");
  match(said, /\*\*Queue recovery mode:\*\* unknown/);
  match(said, /\*\*Could not be read:\*\* lanes of jobs/);
});

Deno.test("a stale catalog is visible with its reason", async () => {
  await using endpoint = await openEndpoint();
  await endpoint.services.catalog.current();
  await endpoint.setRootsText("garbage");
  const report =
    await (await endpoint.fetch("/api/v1/health", { headers: KEY })).json();
  equal(report.status, "warning");
  equal(report.catalog.state, "stale");
  equal(report.catalog.roots, 4);
  match(report.catalog.stale_reason, /JSON/);
});

Deno.test("the health report needs an API key: no credential and no token open it", async () => {
  await using endpoint = await openEndpoint();
  const closed = await endpoint.fetch("/api/v1/health");
  equal(closed.status, 401);
  await closed.body?.cancel();
  const { token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  const refused = await endpoint.fetch("/api/v1/health", {
    headers: { authorization: `Bearer ${token}` },
  });
  equal(refused.status, 403);
  match((await refused.json()).message, /for operators/);
});
