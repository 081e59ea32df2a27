/** Which names a request may call the server by, and in which forms. */
import { equal } from "node:assert/strict";
import { API_KEY, openEndpoint, sessionQuery } from "../support/endpoint.ts";

Deno.test("probes answer to any host name, and tell details to none but ours", async () => {
  await using endpoint = await openEndpoint();
  for (const host of ["10.244.0.5:7668", "balancer.example", "a b"]) {
    const up = await endpoint.fetch("/up", { headers: { host } });
    equal(up.status, 200, host);
    await up.body?.cancel();
    const deep = await endpoint.fetch("/up/deep", {
      headers: { host, "x-api-key": API_KEY },
    }, "127.0.0.1");
    equal(deep.status, 200, host);
    equal("checks" in await deep.json(), false, host);
    const metrics = await endpoint.fetch("/metrics", {
      headers: { host, "x-api-key": API_KEY },
    });
    equal(metrics.status, host === "a b" ? 400 : 403, host);
    await metrics.body?.cancel();
  }
});

Deno.test("a host in the address counts like the header: HTTP/2 and absolute form", async () => {
  await using endpoint = await openEndpoint();
  const status = async (url: string, headers: Record<string, string> = {}) => {
    const response = await endpoint.handler.fetch(
      new Request(url, { headers: { "x-api-key": API_KEY, ...headers } }),
      "127.0.0.1",
    );
    await response.body?.cancel();
    return response.status;
  };
  equal(await status("http://localhost/api/v1/health"), 200);
  equal(await status("http://evil.example/api/v1/health"), 403);
  equal(
    await status("http://evil.example/api/v1/health", { host: "localhost" }),
    403,
  );
  equal(
    await status("http://localhost/api/v1/health", { host: "evil.example" }),
    403,
  );
});

Deno.test("a trailing slash changes nothing", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const response = await endpoint.fetch(`/mcp/${query}`, {
    method: "POST",
    headers: { "x-api-key": API_KEY, "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  equal(response.status, 200);
  equal((await response.json()).id, 1);
  const health = await endpoint.fetch("/api/v1/health/", {
    headers: { "x-api-key": API_KEY },
  });
  equal(health.status, 200);
  await health.body?.cancel();
});
