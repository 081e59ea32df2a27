import { deepEqual, equal, ok } from "node:assert/strict";
import { pathNames, PREFIX, type RestRoute } from "../../mcp/rest/route.ts";
import { REST_ROUTES } from "../../mcp/rest/routes.ts";
import { API_KEY, openEndpoint, sessionQuery } from "../support/endpoint.ts";
import {
  bend,
  type Chance,
  chanceOf,
  LEAK_REGEXP,
  malformedBytes,
  seedOfRun,
} from "./mutate.ts";

const INPUTS = 5_000;
const AT_ONCE = 50;
const STATUSES = new Set([
  200,
  201,
  400,
  401,
  404,
  405,
  409,
  413,
  415,
  422,
  431,
]);

/** Arguments as they should be, to be bent. */
const VALUES: Readonly<Record<string, unknown>> = {
  session: "1",
  namespace: "gardener",
  collection: "free",
  key: "k",
  id: 1,
  filter: { a: 1 },
  order: "newest",
  limit: 10,
  offset: 0,
  page: 1,
  per_page: 5,
  status: "waiting",
  agent_root: "gardener",
  include_archived: true,
  client: "codex",
  title: "A title",
  parent_session_id: 1,
  custom_metadata: { note: "x" },
};

function malformed(chance: Chance): { path: string; init: RequestInit } {
  const route = chance.pick(REST_ROUTES);
  const names = Object.keys(route.input.properties);
  const args = Object.fromEntries(
    names.filter((name) => name in VALUES && !chance.oneIn(4))
      .map((name) => [name, VALUES[name]]),
  );
  const bent = (chance.oneIn(4) ? args : bend(chance, args)) as typeof args;
  const inPath = pathNames(route.path);
  const path = route.path.replaceAll(
    /\{([a-z_]+)\}/g,
    (_all, name) => encodeURIComponent(asText(bent[name] ?? "1")),
  );
  const headers = { "x-api-key": API_KEY, "content-type": "application/json" };
  const rest = Object.entries(bent).filter(([name]) => !inPath.includes(name));
  const method = chance.oneIn(12)
    ? chance.pick(["PUT", "DELETE", "PATCH", "HEAD"])
    : route.method;
  if (route.method === "POST" && method === "POST") {
    return { path, init: { method, headers, body: bodyOf(chance, rest) } };
  }
  return {
    path: `${path}?${queryOf(chance, rest)}`,
    init: { method, headers },
  };
}

function bodyOf(chance: Chance, args: [string, unknown][]): BodyInit {
  return chance.oneIn(4)
    ? malformedBytes(chance).slice()
    : JSON.stringify(Object.fromEntries(args));
}

function queryOf(chance: Chance, args: [string, unknown][]): string {
  const query = new URLSearchParams(
    args.map(([name, value]) => [name, asText(value)]),
  ).toString();
  return chance.oneIn(10)
    ? `${query}&${chance.pick(["page=2", "%ff%00=%ff", "__proto__=1", "&&=="])}`
    : query;
}

function asText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  return text.toWellFormed();
}

async function check(response: Response, method: string): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    await response.body?.cancel(); // It would stay open.
    return;
  }
  const text = await response.text();
  ok(STATUSES.has(response.status), `status ${response.status}: ${text}`);
  ok(!LEAK_REGEXP.test(text), `leak: ${text.slice(0, 500)}`);
  if (method === "HEAD") return;
  const answer = JSON.parse(text);
  if (response.ok) return;
  deepEqual(Object.keys(answer), ["error", "message", "messages"]);
}

Deno.test(`REST: ${INPUTS} malformed requests: no 5xx, no leak, one envelope, and it still serves`, async () => {
  const seed = seedOfRun();
  await using endpoint = await openEndpoint();
  await sessionQuery(endpoint, "gardener");
  const routes = new Set<RestRoute["operationId"]>();
  for (let done = 0; done < INPUTS; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, async (_, n) => {
      const { path, init } = malformed(chanceOf(seed + done + n));
      try {
        const response = await endpoint.fetch(`${PREFIX}${path}`, init);
        if (response.ok) routes.add(path.split("?")[0] ?? "");
        await check(response, init.method ?? "");
      } catch (error) {
        const what = `FUZZ_SEED=${seed}; input ${done + n}: ${init.method} ${
          path.slice(0, 300)
        }`;
        throw new Error(what, { cause: error });
      }
    }));
  }
  ok(routes.size > 5, "Too little got through to mean anything");
  const errors = endpoint.logged.filter((line) =>
    line.includes('"level":"error"')
  );
  equal(errors.length, 0, errors[0]);
});
