import { equal } from "node:assert/strict";
import { createHttpHandler, createHttpHandlerOf } from "../../mcp/http.ts";
import { API_KEY, openEndpoint } from "../support/endpoint.ts";
import { clientPath, HAS_NPM, SKIP_NOTE } from "../support/clients.ts";
import { startSession } from "../support/sessions.ts";
import { createFixtureServer } from "./fixture_server.ts";

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

const HTTP_OPTIONS = {
  apiKeys: [API_KEY],
  allowedHosts: ["localhost", "127.0.0.1", "[::1]"],
  allowedOrigins: ["localhost", "127.0.0.1", "[::1]"],
};

type Fetch = (request: Request) => Promise<Response>;

/**
 * Runs the suite against a handler; it has no way to send a credential, nor to
 * say for which session it asks.
 */
async function runSuite(
  fetch: Fetch,
  words: readonly string[],
  sessionId?: number,
): Promise<{ readonly code: number; readonly report: string }> {
  const suite = await clientPath(
    "@modelcontextprotocol/conformance/dist/index.js",
  );
  const results = await Deno.makeTempDir();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => {
      const url = new URL(request.url);
      url.searchParams.set("tool_groups", "root_data");
      if (sessionId !== undefined) {
        url.searchParams.set("session_id", String(sessionId));
      }
      const headers = new Headers(request.headers);
      headers.set("x-api-key", API_KEY);
      const { method, body } = request;
      return fetch(new Request(url, { method, headers, body }));
    },
  );
  try {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        suite,
        "server",
        "--url",
        `http://127.0.0.1:${server.addr.port}/mcp`,
        "-o",
        results,
        ...words,
      ],
      cwd: results,
      env: { NO_COLOR: "1" },
    }).output();
    const decoder = new TextDecoder();
    return { code, report: decoder.decode(stdout) + decoder.decode(stderr) };
  } finally {
    await Deno.remove(results, { recursive: true });
  }
}

function baseline(name: string): string {
  return new URL(`./${name}.yml`, import.meta.url).pathname;
}

for (const revision of REVISIONS) {
  Deno.test({
    name:
      `conformance ${revision}: the product fails only what needs fixtures${SKIP_NOTE}`,
    ignore: !HAS_NPM,
    async fn() {
      await using endpoint = await openEndpoint();
      const handler = createHttpHandler(endpoint.services, HTTP_OPTIONS);
      const { session } = await startSession(endpoint.test.db, {
        agentRootKey: "gardener",
      });
      const { code, report } = await runSuite(handler.fetch, [
        "--suite",
        "all",
        "--spec-version",
        revision,
        "--expected-failures",
        baseline(`product-${revision}`),
      ], session.id);
      equal(code, 0, report);
    },
  });
}

Deno.test({
  name:
    `conformance 2026-07-28: with fixtures, every required scenario passes${SKIP_NOTE}`,
  ignore: !HAS_NPM,
  async fn() {
    await using endpoint = await openEndpoint();
    const handler = createHttpHandlerOf(
      createFixtureServer,
      endpoint.services,
      HTTP_OPTIONS,
    );
    const { code, report } = await runSuite(handler.fetch, [
      "--requirements",
      "2026-07-28",
    ]);
    equal(code, 0, report);
  },
});

Deno.test({
  name:
    `conformance 2025-11-25: with fixtures, only what needs a stream to the client fails${SKIP_NOTE}`,
  ignore: !HAS_NPM,
  async fn() {
    await using endpoint = await openEndpoint();
    const handler = createHttpHandlerOf(
      createFixtureServer,
      endpoint.services,
      HTTP_OPTIONS,
    );
    const { code, report } = await runSuite(handler.fetch, [
      "--suite",
      "all",
      "--spec-version",
      "2025-11-25",
      "--expected-failures",
      baseline("fixtures-2025-11-25"),
    ]);
    equal(code, 0, report);
  },
});
