import { equal, match, ok } from "node:assert/strict";
import { startSession } from "../support/sessions.ts";
import {
  API_KEY,
  openEndpoint,
  type TestEndpoint,
} from "../support/endpoint.ts";

async function status(
  endpoint: TestEndpoint,
  headers: Record<string, string>,
  address?: string,
): Promise<number> {
  const response = await endpoint.fetch("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  }, address);
  await response.body?.cancel();
  return response.status;
}

Deno.test("after 20 wrong credentials an address gets 429 for the next, and right ones pass", async () => {
  await using endpoint = await openEndpoint();
  const { token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  const session = { authorization: `Bearer ${token}` };
  for (let n = 0; n < 20; n++) {
    const wrong = n % 2 === 0
      ? { "x-api-key": `guess ${n}` }
      : { authorization: `Bearer rcs_${n}_${"A".repeat(43)}` };
    equal(await status(endpoint, wrong, "192.0.2.1"), 401);
    equal(await status(endpoint, session, "192.0.2.1"), 200);
  }
  const refused = await endpoint.fetch("/mcp", {
    method: "POST",
    headers: { "x-api-key": "wrong" },
  }, "192.0.2.1");
  equal(refused.status, 429);
  const wait = Number(refused.headers.get("retry-after"));
  ok(wait > 0 && wait <= 60);
  match((await refused.json()).message, /too many wrong ones came/);
  equal(await status(endpoint, session, "192.0.2.1"), 200);
  equal(await status(endpoint, { "x-api-key": API_KEY }, "192.0.2.1"), 200);
  equal(await status(endpoint, { "x-api-key": "wrong" }, "192.0.2.1"), 429);
  equal(await status(endpoint, { "x-api-key": "wrong" }, "192.0.2.2"), 401);
  equal(
    endpoint.logged.filter((line) => line.includes("credentials_braked"))
      .length,
    1,
  );
});

Deno.test("guesses sent all at once learn no more than 20 answers", async () => {
  await using endpoint = await openEndpoint();
  const statuses = await Promise.all(
    Array.from(
      { length: 200 },
      (_, n) => status(endpoint, { "x-api-key": `guess ${n}` }, "192.0.2.1"),
    ),
  );
  equal(statuses.filter((one) => one === 401).length, 20);
  equal(statuses.filter((one) => one === 429).length, 180);
});

Deno.test("requests without any credential, and good ones, brake nothing", async () => {
  await using endpoint = await openEndpoint();
  for (let n = 0; n < 30; n++) {
    equal(await status(endpoint, {}, "192.0.2.1"), 401);
    equal(await status(endpoint, { "x-api-key": API_KEY }, "192.0.2.1"), 200);
  }
});

Deno.test("a braked address still learns that the server is up", async () => {
  await using endpoint = await openEndpoint();
  for (let n = 0; n < 25; n++) {
    await status(endpoint, { "x-api-key": "wrong" }, "192.0.2.1");
  }
  const up = await endpoint.fetch("/up", {}, "192.0.2.1");
  equal((await up.json()).status, "ok");
});
