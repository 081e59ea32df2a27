import { deepEqual, equal, match, ok } from "node:assert/strict";
import { openCatalog } from "../../catalog/mod.ts";
import { insertRunner, noteHello } from "../../store/turns/mod.ts";
import {
  API_KEY,
  openEndpoint,
  ROOTS,
  type TestEndpoint,
} from "../support/endpoint.ts";
import { openTestDb } from "../support/test_db.ts";

/** Writes a whole AIR catalog in the place of the roots file. */
async function useCatalog(
  endpoint: TestEndpoint,
  folder: string,
  mcp: Record<string, unknown>,
): Promise<void> {
  await Deno.writeTextFile(`${folder}/mcp.json`, JSON.stringify(mcp));
  await Deno.writeTextFile(
    `${folder}/goals.json`,
    JSON.stringify({ "ship-it": { description: "Ship it.\n## Forged" } }),
  );
  await Deno.writeTextFile(
    `${folder}/air-roots.json`,
    JSON.stringify({
      ...ROOTS,
      gardener: {
        name: "gardener",
        description: "Keeps the garden",
        default_mcp_servers: ["open", "closed"],
      },
    }),
  );
  await endpoint.setRootsText(JSON.stringify({
    $schema: "https://pulsemcp.github.io/air/schemas/air.schema.json",
    name: "test",
    roots: ["./air-roots.json"],
    mcp: ["./mcp.json"],
    goals: ["./goals.json"],
  }));
}

const SERVERS = {
  open: { type: "http", url: "https://example.org/mcp", title: "Open" },
  closed: {
    type: "http",
    url: "https://example.org/closed",
    headers: { authorization: "Bearer ${CLOSED_TOKEN}" },
  },
  keyed: {
    type: "stdio",
    command: "npx",
    args: ["keyed", "${KEYED_NAME}"],
    env: { KEYED_KEY: "${KEYED_KEY}" },
  },
  oauth: { type: "http", url: "https://example.org/oauth", oauth: {} },
};

async function hello(
  endpoint: TestEndpoint,
  name: string,
  variables: readonly string[],
  trust: { readonly trusts_catalogs?: boolean } = {},
): Promise<void> {
  const { db } = endpoint.test;
  const { id } = await db.transaction((tx) => insertRunner(tx, name));
  await noteHello(db, id, {
    hello: {
      variables,
      ...trust,
      runtimes: [{
        name: "codex",
        version: "1.2.3",
        models: ["gpt-x"],
        login: { account: null, state: "found" },
      }],
    },
    runtimes: ["codex"],
    slots: 1,
    labels: [],
    bootId: "b",
  });
}

Deno.test("get_configs tells a broken server from an absent one, and its counts add up", async () => {
  await using endpoint = await openEndpoint();
  await useCatalog(endpoint, endpoint.folder, SERVERS);
  const alone = await endpoint.call("", "get_configs");
  match(alone.text, /MCP Servers: 1 of 4 usable/);
  match(alone.text, /no runner was seen lately, so nobody has CLOSED_TOKEN/);
  match(alone.text, /No runner was seen in the last two minutes/);
  await hello(endpoint, "one", ["CLOSED_TOKEN", "KEYED_NAME"]);
  await hello(endpoint, "two", ["KEYED_KEY"]);
  const { text, data } = await endpoint.call("", "get_configs");
  match(text, /MCP Servers: 2 of 4 usable/);
  match(text, /Unavailable \(2\)/);
  match(text, /`keyed`: no runner has all of KEYED\\?_NAME, KEYED\\?_KEY/);
  match(text, /`oauth`: it needs an OAuth login/);
  match(text, /`codex`, on 2 runner\(s\), version 1\\?\.2\.3; models: gpt-x/);
  match(text, /`gardener`.*MCP servers: open, closed: Keeps the garden/);
  match(text, /`ship-it`: Ship it\. ⏎ ## Forged/);
  equal(data.mcp_servers_total + data.unavailable_mcp_servers_total, 4);
  equal(data.agent_roots_total, 4);
  await endpoint.test.db.write(
    "update runners set seen_at = now() - interval '10 minutes' where name = 'one'",
  );
  const later = await endpoint.call("", "get_configs");
  match(later.text, /open, closed \(unavailable\)/);
  match(later.text, /`closed`: no runner has CLOSED\\?_TOKEN/);
});

Deno.test("get_configs hides the roots outside of a fence", async () => {
  await using endpoint = await openEndpoint();
  const { text, data } = await endpoint.call(
    "?allowed_agent_roots=librarian",
    "get_configs",
  );
  match(text, /Agent Roots: 1 that this connection may use/);
  equal(data.agent_roots.join(), "librarian");
  equal(text.includes("gardener"), false);
});

Deno.test("a catalog that cannot be read is said, and never shown as empty", async () => {
  await using endpoint = await openEndpoint();
  await endpoint.call("", "get_configs");
  await endpoint.setRootsText("{ broken");
  const stale = await endpoint.call("", "get_configs");
  match(stale.text, /could not be read again.*as it was at 20/);
  equal(stale.data.catalog_state, "stale");
  match(stale.text, /`gardener`/);
  await using unread = await openEndpoint({ rootsText: "{ broken" });
  const { text, data } = await unread.call("", "get_configs");
  match(
    text,
    /The catalog could not be read\.\*\* Which MCP servers.*is unknown/,
  );
  equal(data.catalog_state, "unreadable");
  equal(/Expected|Agent Roots: 0/.test(text), false);
});

Deno.test("get_configs of a large catalog fits, and says where the whole is", async () => {
  await using endpoint = await openEndpoint();
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`server-${index}`, {
      type: "http",
      url: "https://example.org",
      description: "What it does. ".repeat(50),
    }]),
  );
  await useCatalog(endpoint, endpoint.folder, many);
  const { text, data } = await endpoint.call("", "get_configs");
  ok(text.length <= 25_000, String(text.length));
  match(text, /and 300 more: `GET \/api\/v1\/configs`|and \d+ more/);
  equal(data.mcp_servers_total, 500);
  const whole = await endpoint.fetch("/api/v1/configs", {
    headers: { "x-api-key": API_KEY },
  });
  const body = await whole.json();
  equal(body.mcp_servers.length, 500);
  equal(body.mcp_servers[0].description.length, 700);
});

Deno.test("programs of a catalog of an address are unavailable until a runner trusts it and has their variables", async () => {
  await using test = await openTestDb();
  await using served = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => {
      const files: Readonly<Record<string, unknown>> = {
        "/air.json": { roots: ["./roots.json"], mcp: ["./mcp.json"] },
        "/roots.json": { bare: { name: "bare" } },
        "/mcp.json": {
          tool: { command: "npx", args: ["tool"] },
          keyed: { command: "npx", env: { KEY: "${KEYED_KEY}" } },
          reached: {
            url: "https://example.org/mcp",
            description: "Says ${NOTHING}",
          },
          nameless: { type: "http" },
        },
      };
      return Response.json(files[new URL(request.url).pathname]);
    },
  );
  await using catalog = openCatalog({
    source: `http://127.0.0.1:${served.addr.port}/air.json`,
  });
  await using endpoint = await openEndpoint({ test, catalog });
  const reasons = async () => {
    const answer = await endpoint.fetch("/api/v1/configs", {
      headers: { "x-api-key": API_KEY },
    });
    const { unavailable_mcp_servers: servers } = await answer.json();
    return Object.fromEntries(
      servers.map((one: { name: string; reason: string }) => [
        one.name,
        one.reason,
      ]),
    );
  };
  const alone = await reasons();
  match(alone.tool, /^no runner was seen lately, so nobody is known to start/);
  match(alone.keyed, /nobody has KEYED_KEY/);
  equal(alone.nameless, "its entry names no url");
  equal(alone.reached, undefined);
  await hello(endpoint, "old", ["KEYED_KEY"]);
  await hello(endpoint, "wary", ["KEYED_KEY"], { trusts_catalogs: false });
  const wary = await reasons();
  match(wary.tool, /no runner starts programs .* RUNNER_TRUST_CATALOG=on/);
  equal(wary.keyed, wary.tool);
  await hello(endpoint, "trusting", [], { trusts_catalogs: true });
  const trusted = await reasons();
  equal(trusted.tool, undefined);
  equal(trusted.keyed, "no runner that trusts the catalog has KEYED_KEY");
  await hello(endpoint, "keyed", ["KEYED_KEY"], { trusts_catalogs: true });
  deepEqual(Object.keys(await reasons()), ["nameless"]);
});
