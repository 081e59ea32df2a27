import { deepEqual, equal, match } from "node:assert/strict";
import type { McpServerOrder } from "../../fleet/turns/protocol.ts";
import { resolveServers } from "./mcp_servers.ts";

const SERVER = "https://cellar.example";

function orderOf(given: Partial<McpServerOrder>): McpServerOrder {
  return {
    name: "other",
    type: "http",
    url: "https://other.example/mcp",
    headers: {},
    command: [],
    env: {},
    is_trusted: true,
    ...given,
  };
}

function resolve(
  servers: readonly Partial<McpServerOrder>[],
  { trustsCatalogs = false, env = {} }: {
    readonly trustsCatalogs?: boolean;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
) {
  return resolveServers({
    mcp_servers: servers.map(orderOf),
    mcp_path: "/mcp?session_id=7&tool_groups=root_data",
    session_id: 7,
  }, { env, server: SERVER, trustsCatalogs });
}

Deno.test("variables come from the runner; a server whose variable it lacks is left out and named", () => {
  const { servers, notices } = resolve([
    { headers: { Authorization: "Bearer ${KEY}" } },
    { name: "lacking", env: { A: "${NONE} ${KEY} ${NEITHER}" } },
  ], { env: { KEY: "k" } });
  deepEqual(servers.map(({ name, headers }) => [name, headers]), [
    ["other", { Authorization: "Bearer k" }],
  ]);
  deepEqual(notices, [
    'MCP server "lacking" is left out: the runner has no NONE, NEITHER',
  ]);
});

Deno.test("what opens the server is in no MCP server's environment, even when an entry names it", () => {
  const env = { API_KEYS: "canary", DATABASE_URL: "canary" };
  const { servers, notices } = resolve([
    { headers: { "X-API-Key": "${API_KEYS}" } },
    { name: "database", env: { URL: "${DATABASE_URL}" } },
  ], { env });
  deepEqual(servers, []);
  equal(notices.length, 2);
});

Deno.test("an entry that points at this server stands for our own, with its query and this session", () => {
  const { servers, notices, ownUrl } = resolve([
    {
      name: "cellar",
      url: `${SERVER}/mcp?tool_groups=sessions`,
      headers: { "X-API-Key": "${SOMEBODYS}" },
    },
    { name: "again", url: `${SERVER}/mcp` },
    { name: "rootcellar", url: "https://false.example/mcp" },
  ]);
  equal(ownUrl, `${SERVER}/mcp?tool_groups=sessions&session_id=7`);
  deepEqual(servers, []);
  equal(notices.length, 2);
  match(notices[0] ?? "", /^MCP server "again" is left out: another entry/);
  match(notices[1] ?? "", /^MCP server "rootcellar" .* points elsewhere$/);
});

Deno.test("without such an entry our own address is the turn's", () => {
  equal(
    resolve([]).ownUrl,
    `${SERVER}/mcp?session_id=7&tool_groups=root_data`,
  );
});

Deno.test("a catalog of an address starts no program unless the runner trusts it", () => {
  const program = {
    type: "stdio",
    command: ["npx", "x"],
    is_trusted: false,
  } as const;
  const { servers, notices } = resolve([program]);
  deepEqual(servers, []);
  match(notices[0] ?? "", /RUNNER_TRUST_CATALOG=on/);
  equal(resolve([program], { trustsCatalogs: true }).servers.length, 1);
});
