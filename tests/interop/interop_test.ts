import { deepEqual, equal, match, ok } from "node:assert/strict";
import { programArguments } from "../../cli/entry/start_command.ts";
import { clientPath, HAS_NPM, SKIP_NOTE } from "../support/clients.ts";
import {
  API_KEY,
  openEndpoint,
  ROOTS,
  sessionQuery,
} from "../support/endpoint.ts";
import { freePort } from "../support/free_port.ts";
import { mainFolder, openHome, startStdio } from "../support/process.ts";

const RECORDS = 8;
const RECORD_CHARACTERS = 24_000;
/** What a page of all records comes to, at least. */
const LARGE = 150_000;

/** How a client reaches the product. */
type Target =
  | { readonly url: string; readonly headers: Record<string, string> }
  | {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };

type Opened = AsyncDisposable & { readonly target: Target };

const record = (n: number) => ({
  collection: "free",
  key: `k${n}`,
  data: { text: `${n}`.repeat(RECORD_CHARACTERS) },
});

/** The product on a port. */
async function openHttp(): Promise<Opened & { readonly url: string }> {
  const stack = new AsyncDisposableStack();
  const endpoint = stack.use(
    await openEndpoint({ allowedHosts: ["127.0.0.1", "localhost"] }),
  );
  const query = await sessionQuery(endpoint, "gardener");
  for (let n = 0; n < RECORDS; n++) {
    await endpoint.call(query, "put_root_record", record(n));
  }
  const server = stack.use(Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request, { remoteAddr }) =>
      endpoint.handler.fetch(request, remoteAddr.hostname),
  ));
  const url = `http://127.0.0.1:${server.addr.port}/mcp${query}`;
  return {
    url,
    target: { url, headers: { "X-API-Key": API_KEY } },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The product as a program that a client starts. */
async function openProgram(): Promise<Opened> {
  const home = await openHome();
  const catalog = `${home.home}/roots.json`;
  await Deno.writeTextFile(catalog, JSON.stringify(ROOTS));
  const env = { ...home.env, CATALOG: catalog };
  const words = ["--root", "gardener", "--groups", "root_data"];
  {
    await using server = startStdio(words, env);
    for (let n = 0; n < RECORDS; n++) {
      await server.call("put_root_record", record(n));
    }
    await server.end();
  }
  return {
    target: {
      command: Deno.execPath(),
      args: programArguments(mainFolder("main.ts"), ["stdio", ...words]),
      env,
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

const decoder = new TextDecoder();

async function runNode(
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command("node", {
    args: [...args],
    stdin: "null",
  }).output();
  return {
    code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  };
}

/** Lets an SDK client do everything once. */
async function drive(client: string, target: Target): Promise<void> {
  await clientPath("");
  const { code, stdout, stderr } = await runNode([
    mainFolder("tests/clients/drive.mjs"),
    JSON.stringify({ client, ...target }),
  ]);
  equal(code, 0, stderr);
  const { large, refusal, ...facts } = JSON.parse(stdout);
  deepEqual(facts, { tools: 6, namespace: "gardener", isError: true });
  match(refusal, /^Missing required arguments: collection/);
  ok(large > LARGE, `${large} characters`);
}

function interop(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: `interop: ${name}${SKIP_NOTE}`, ignore: !HAS_NPM, fn });
}

for (const client of ["v1", "default", "auto", "pin"]) {
  const name = client === "v1"
    ? "the v1 SDK client"
    : `the v2 client (${client})`;
  interop(`${name} over HTTP`, async () => {
    await using opened = await openHttp();
    await drive(client, opened.target);
  });
  interop(`${name} over stdio`, async () => {
    await using opened = await openProgram();
    await drive(client, opened.target);
  });
}

interop("mcp-remote carries stdio to HTTP", async () => {
  await using opened = await openHttp();
  await using home = await openHome();
  await drive("v1", {
    command: "node",
    args: [
      await clientPath("mcp-remote/dist/proxy.js"),
      opened.url,
      "--transport",
      "http-only",
      "--allow-http",
      "--header",
      `X-API-Key:${API_KEY}`,
    ],
    env: { ...home.env, MCP_REMOTE_CONFIG_DIR: home.home },
  });
});

interop("supergateway carries stdio to HTTP", async () => {
  await using opened = await openHttp();
  await using home = await openHome();
  await drive("v1", {
    command: "node",
    args: [
      await clientPath("supergateway/dist/index.js"),
      "--streamableHttp",
      opened.url,
      "--header",
      `X-API-Key: ${API_KEY}`,
      "--logLevel",
      "none",
    ],
    env: home.env,
  });
});

interop("supergateway serves the program over HTTP", async () => {
  await using opened = await openProgram();
  const { target } = opened;
  ok("command" in target);
  const port = freePort();
  const quoted = [target.command, ...target.args].map((word) => `'${word}'`);
  const child = new Deno.Command("node", {
    args: [
      await clientPath("supergateway/dist/index.js"),
      "--stdio",
      quoted.join(" "),
      "--outputTransport",
      "streamableHttp",
      "--stateful",
      "--port",
      `${port}`,
    ],
    env: { ...target.env },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let printed = ""; !printed.includes("Listening");) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`supergateway ended: ${printed}`);
      printed += value;
    }
    await drive("v1", { url: `http://127.0.0.1:${port}/mcp`, headers: {} });
  } finally {
    child.kill("SIGTERM");
    await child.status;
    await reader.cancel();
  }
});

/** Runs the Inspector's command line once. */
async function inspect(
  target: Target,
  era: string,
  method: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const launcher = await clientPath(
    "@modelcontextprotocol/inspector/clients/launcher/build/index.js",
  );
  const common = ["--protocol-era", era, "--format", "json", "-q"];
  if ("url" in target) {
    return await runNode([
      launcher,
      "--cli",
      "--server-url",
      target.url,
      "--transport",
      "http",
      "--header",
      `X-API-Key: ${API_KEY}`,
      ...common,
      ...method,
    ]);
  }
  const env = Object.entries(target.env).flatMap(([name, value]) => [
    "-e",
    `${name}=${value}`,
  ]);
  return await runNode([
    launcher,
    "--cli",
    ...common,
    ...env,
    "--transport",
    "stdio",
    ...method,
    target.command,
    "--",
    ...target.args,
  ]);
}

async function inspectAll(target: Target, era: string): Promise<void> {
  const call = (name: string, args: unknown = {}) =>
    inspect(target, era, [
      "--method",
      "tools/call",
      "--tool-name",
      name,
      "--tool-args-json",
      JSON.stringify(args),
    ]);
  const listed = await inspect(target, era, [
    "--method",
    "tools/list",
    "--strict",
  ]);
  equal(listed.code, 0, listed.stdout + listed.stderr);
  ok(listed.stdout.includes("put_root_record"));
  const called = await call("list_root_collections");
  equal(called.code, 0, called.stdout + called.stderr);
  ok(called.stdout.includes("gardener"), called.stdout);
  const refused = await call("get_root_record", { collection: "no such" });
  equal(refused.code, 5, refused.stdout + refused.stderr);
  const large = await call("search_root_records", {
    collection: "free",
    max_bytes: 200_000,
  });
  equal(large.code, 0, large.stderr);
  ok(large.stdout.length > LARGE, `${large.stdout.length} characters`);
}

for (const era of ["legacy", "auto", "modern"]) {
  interop(`Inspector (${era}) over HTTP`, async () => {
    await using opened = await openHttp();
    await inspectAll(opened.target, era);
  });
  interop(`Inspector (${era}) over stdio`, async () => {
    await using opened = await openProgram();
    await inspectAll(opened.target, era);
  });
}
