import { deepEqual, equal, ok } from "node:assert/strict";
import { checkClientOptions } from "./client_options.ts";
import type { ClientOptions } from "./client_types.ts";
import { CortexConfigError } from "../errors.ts";
import { parseActor } from "../layout/scope.ts";

const ENDPOINT = "https://cortex.example";

function problemsOf(options: Partial<ClientOptions>): readonly string[] {
  try {
    checkClientOptions({ endpoint: ENDPOINT, ...options });
  } catch (error) {
    if (!(error instanceof CortexConfigError)) throw error;
    return error.problems.map((one) => `${one.setting}: ${one.message}`);
  }
  return [];
}

Deno.test("checkClientOptions() keeps the path of an endpoint", () => {
  const table: [string, string][] = [
    ["https://a.example", "https://a.example/"],
    ["https://a.example/base", "https://a.example/base/"],
    ["https://a.example/base/", "https://a.example/base/"],
    ["http://127.0.0.1:3141", "http://127.0.0.1:3141/"],
    ["http://[::1]:3141/x", "http://[::1]:3141/x/"],
    ["http://localhost:3141", "http://localhost:3141/"],
  ];
  for (const [endpoint, base] of table) {
    equal(checkClientOptions({ endpoint }).href, base);
  }
});

Deno.test("checkClientOptions() refuses plain http off this machine", () => {
  const credential = "key-1";
  const hosts = [
    "cortex.example",
    "10.0.0.1",
    "127.0.0.1.example",
    "localhost.example",
  ];
  for (const host of hosts) {
    const [problem] = problemsOf({ endpoint: `http://${host}`, credential });
    ok(problem?.startsWith("endpoint: is http: and not on loopback"), host);
  }
});

Deno.test("checkClientOptions() refuses an address with more in it", () => {
  for (
    const endpoint of ["https://a.example?key=k-77", "https://a.example#k-77"]
  ) {
    const [problem = ""] = problemsOf({ endpoint });
    ok(problem.includes("query or a fragment"));
    ok(!problem.includes("k-77"));
  }
  const table: [endpoint: string, problem: string][] = [
    [
      "https://u:k-77@a.example",
      "endpoint: carries a user name or password; use the key's own setting",
    ],
    ["ftp://a.example", "endpoint: is neither https: nor http:"],
    ["nowhere", "endpoint: is no URL"],
  ];
  for (const [endpoint, problem] of table) {
    deepEqual(problemsOf({ endpoint }), [problem]);
  }
});

Deno.test("checkClientOptions() refuses headers that are not the host's", () => {
  const bad = [
    "Authorization",
    "Proxy-Authorization",
    "X-Api-Key",
    "Cookie",
    "X-Auth-Token",
    "X-Client-Secret",
    "Host",
    "Content-Length",
    "X-Cortex-Actor",
    "Idempotency-Key",
    "Proxy-Connection",
    "",
    "a b",
    "a\nb",
    "ä",
  ];
  for (const name of bad) {
    const problems = problemsOf({ headers: { [name]: "sk-hidden" } });
    equal(problems.length, 1, name);
    ok(!String(problems).includes("sk-hidden"));
  }
  deepEqual(
    problemsOf({ headers: { "X-Trace": "a b", "user-agent": "x" } }),
    [],
  );
  ok(problemsOf({ headers: { "x-trace": "a\r\nb" } })[0]?.includes("value"));
});

Deno.test("checkClientOptions() refuses keys that no header can carry", () => {
  deepEqual(problemsOf({ credential: "  " }), ["apiKey: is blank"]);
  for (const credential of ["a b", "a\n", "schlüssel", "a\0"]) {
    const [problem = ""] = problemsOf({ credential });
    ok(problem.startsWith("apiKey: holds a space or a character"));
    ok(!problem.includes(credential));
  }
  deepEqual(problemsOf({ actor: parseActor("user:jörg") }).length, 1);
});

Deno.test("checkClientOptions() refuses limits that are no limit", () => {
  for (const timeoutMs of [0, -1, 1.5, NaN, Infinity]) {
    ok(problemsOf({ limits: { timeoutMs } })[0]?.includes("timeoutMs"));
  }
  deepEqual(problemsOf({ limits: { maxBodyBytes: undefined } }), []);
});
