import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  BASE_GROUPS,
  DEFAULT_SESSION_GROUPS,
  toolsInGroups,
} from "../../mcp/tools/groups.ts";
import { TOOLS } from "../../mcp/tools/registry.ts";
import { clusterStatus } from "../../store/embedded/mod.ts";
import {
  openHome,
  runVerb,
  startStdio,
  waitForCluster,
} from "../support/process.ts";

const HELLO = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "t", version: "0" },
};
const GARDENER = ["--root", "gardener"];

Deno.test("initialize and tools/list are answered before any database exists", async () => {
  await using home = await openHome();
  await using server = startStdio(GARDENER, home.env);
  const { result } = await server.request("initialize", HELLO);
  equal(result.protocolVersion, "2025-11-25");
  equal(
    (await server.request("tools/list")).result.tools.length,
    toolsInGroups(TOOLS, DEFAULT_SESSION_GROUPS).length,
  );
  equal((await clusterStatus(home.home)).state, "absent");
  const { code, ms } = await server.end();
  equal(code, 0);
  ok(ms < 5_000);
  equal((await clusterStatus(home.home)).state, "absent");
});

Deno.test("a session that writes is read by the next session of the root, with everything stopped between", async () => {
  await using home = await openHome();
  {
    await using server = startStdio(GARDENER, home.env);
    const put = await server.call("put_root_record", {
      collection: "notes",
      key: "k",
      data: { title: "Roses" },
    });
    equal(put.structuredContent.result, "created");
    equal((await server.end()).code, 0);
  }
  await waitForCluster(home.home, "stopped");
  await using server = startStdio(GARDENER, home.env);
  const got = await server.call("get_root_record", {
    collection: "notes",
    key: "k",
  });
  deepEqual(got.structuredContent.record.data, { title: "Roses" });
  equal(got.structuredContent.record.writing_session_id, 1);
  const list = await server.call("append_root_record", {
    collection: "runs",
    data: {},
  });
  equal(list.structuredContent.record.writing_session_id, 2);
  await server.end();
});

Deno.test("without a catalog and without a root, notes and memory work at once", async () => {
  await using home = await openHome({ CATALOG: "built-in" });
  {
    await using server = startStdio([], home.env);
    const put = await server.call("put_root_record", {
      collection: "notes",
      key: "k",
      data: { any: ["form"] },
    });
    equal(put.structuredContent.result, "created");
    const memory = await server.call("store_memory", {
      kind: "learning",
      learning_kind: "preference",
      text: "The user likes tea",
    });
    equal(memory.isError, undefined, JSON.stringify(memory));
    equal((await server.end()).code, 0);
    match(server.stderr(), /"default_root","root":"default"/);
  }
  await using server = startStdio([], home.env);
  const { structuredContent: { record } } = await server.call(
    "get_root_record",
    { collection: "notes", key: "k" },
  );
  const kept = Date.parse(record.expires_at) - Date.parse(record.updated_at);
  equal(Math.round(kept / 86_400_000), 365);
  const { structuredContent: { items } } = await server.call("recall_memory", {
    query: "which drink is liked",
  });
  match(items[0].text, /likes tea/);
  await server.end();
});

Deno.test("with a catalog, who names no root has none", async () => {
  await using home = await openHome();
  await using server = startStdio([], home.env);
  const { tools } = (await server.request("tools/list")).result;
  ok(tools.every(({ name }: { name: string }) => name !== "put_root_record"));
  await server.end();
});

Deno.test("every bad line gets an answer, and only JSON-RPC is on stdout", async () => {
  await using home = await openHome();
  await using server = startStdio([], home.env);
  await server.write(
    "\ufeff" + JSON.stringify({ jsonrpc: "2.0", id: "bom", method: "ping" }) +
      "\r\n",
  );
  await server.write("garbage\n");
  await server.write("\n  \r\n");
  await server.write("[]\n");
  await server.write('{"jsonrpc":"2.0","id":7,"method":5}\n');
  await server.write('{"jsonrpc":"2.0","id":null,"method":"ping"}\n');
  await server.write(new Uint8Array([0xff, 0xfe, 0x0a]));
  await server.write("[".repeat(200) + "\n");
  await server.write('{"jsonrpc":"2.0","id":"last","method":"ping"}'); // No line end.
  const { code } = await server.end();
  equal(code, 0);
  const answers = server.lines.map((line) => JSON.parse(line));
  for (const one of answers) equal(one.jsonrpc, "2.0");
  deepEqual(
    answers.map((one) => [one.id ?? null, one.error?.code ?? "ok"]).sort(),
    [
      ["bom", "ok"],
      ["last", "ok"],
      [7, -32600],
      [null, -32600],
      [null, -32600],
      [null, -32600],
      [null, -32700],
      [null, -32700],
    ].sort(),
  );
});

Deno.test("a discover probe followed by initialize is survived", async () => {
  await using home = await openHome();
  await using server = startStdio(GARDENER, home.env);
  const probe = await server.request("server/discover", {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  });
  deepEqual(probe.result.supportedVersions, ["2026-07-28"]);
  const { result } = await server.request("initialize", HELLO);
  equal(result.protocolVersion, "2025-11-25");
  equal(
    (await server.request("tools/list")).result.tools.length,
    toolsInGroups(TOOLS, DEFAULT_SESSION_GROUPS).length,
  );
  await server.end();
});

Deno.test("a root that no catalog has is refused as everywhere, registers nothing, and works once it is there", async () => {
  await using home = await openHome({ CATALOG_REFRESH_SECONDS: "1" });
  const catalog = `${home.home}/roots.json`;
  await Deno.writeTextFile(catalog, '{"gardener": {}}');
  const ROOT = ["--root", "orchard"];
  const env = { ...home.env, CATALOG: catalog };
  await using server = startStdio(ROOT, env);
  const put = () =>
    server.call("put_root_record", { collection: "runs", key: "k", data: {} });
  const refused = await put();
  ok(refused.isError);
  const verb = await runVerb(["session", "start", ...ROOT], env);
  equal(verb.code, 2);
  ok(verb.stderr.includes(refused.content[0].text), verb.stderr);
  match(
    refused.content[0].text,
    /^Agent root "orchard" is not in the catalog .*; it has: gardener$/,
  );
  const { stdout } = await runVerb(["session", "list", "--json"], env);
  deepEqual(JSON.parse(stdout), []);
  await Deno.writeTextFile(
    catalog,
    '{"orchard": {"data_collections": ["runs"]}}',
  );
  const deadline = performance.now() + 120_000;
  let answer = await put();
  while (answer.isError && performance.now() < deadline) answer = await put();
  equal(answer.structuredContent.record.writing_session_id, 1);
  await server.end();
});

Deno.test("answers under way at the end of the input are still sent", async () => {
  await using home = await openHome();
  await using server = startStdio(GARDENER, home.env);
  // A database that has to be made first may take longer than the end waits.
  await server.call("list_root_collections", {});
  const before = server.lines.length;
  for (let n = 0; n < 20; n++) {
    await server.write(
      JSON.stringify({
        jsonrpc: "2.0",
        id: n,
        method: "tools/call",
        params: {
          name: "append_root_record",
          arguments: { collection: "runs", data: { n } },
        },
      }) + "\n",
    );
  }
  equal((await server.end()).code, 0);
  const answers = server.lines.slice(before).map((line) => JSON.parse(line));
  equal(answers.length, 20);
  for (const { result } of answers) {
    equal(result.structuredContent.result, "appended");
  }
});

Deno.test("a message of 9 MB is read in linear time and answered", async () => {
  await using home = await openHome();
  await using server = startStdio(GARDENER, home.env);
  await server.request("ping");
  const big = await server.call("put_root_record", {
    collection: "notes",
    key: "k",
    data: { title: "x".repeat(9_000_000) },
  });
  ok(big.isError);
  match(big.content[0].text, /bytes of JSON; the limit is 32768/);
  await server.end();
});

Deno.test("SIGTERM ends the process and its PostgreSQL", async () => {
  await using home = await openHome();
  await using server = startStdio(GARDENER, home.env);
  await server.call("list_root_collections");
  equal((await clusterStatus(home.home)).state, "running");
  await server.kill("SIGTERM");
  await waitForCluster(home.home, "stopped");
});

Deno.test("five servers at once on an empty home share one PostgreSQL, and the last one stops it", async () => {
  await using home = await openHome();
  const servers = Array.from(
    { length: 5 },
    () => startStdio(GARDENER, home.env),
  );
  try {
    const results = await Promise.all(
      servers.map((server, n) =>
        server.call("put_root_record", {
          collection: "runs",
          key: `k${n}`,
          data: { n },
        })
      ),
    );
    for (const result of results) {
      equal(
        result.structuredContent?.result,
        "created",
        JSON.stringify(result),
      );
    }
    const [first, ...others] = servers;
    const page = await first?.call("search_root_records", {
      collection: "runs",
    });
    equal(page.structuredContent.total, 5);
    await first?.kill("SIGKILL");
    for (const server of others) {
      equal(
        (await server.call("get_root_record", {
          collection: "runs",
          key: "k0",
        })).isError,
        undefined,
      );
    }
    for (const server of others) equal((await server.end()).code, 0);
    await waitForCluster(home.home, "stopped");
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
});

Deno.test("PostgreSQL killed between calls: the next call recovers, nothing acknowledged is lost", async () => {
  await using home = await openHome();
  await using server = startStdio(GARDENER, home.env);
  for (let n = 0; n < 10; n++) {
    await server.call("put_root_record", {
      collection: "runs",
      key: `k${n}`,
      data: { n },
    });
  }
  const { pid } = await clusterStatus(home.home);
  ok(pid !== undefined);
  Deno.kill(pid, "SIGKILL");
  // A search has five seconds; the recovery of a busy machine may take them.
  const got = await server.call("get_root_record", {
    collection: "runs",
    key: "k9",
  });
  equal(got.structuredContent?.record?.data?.n, 9, JSON.stringify(got));
  const page = await server.call("search_root_records", { collection: "runs" });
  equal(page.structuredContent?.total, 10, JSON.stringify(page));
  const put = await server.call("put_root_record", {
    collection: "runs",
    key: "after",
    data: {},
  });
  equal(put.structuredContent.result, "created");
  await server.end();
});

Deno.test("stdio scopes its tools by --groups like the URL's query", async () => {
  await using home = await openHome();
  const count = async (words: string[]) => {
    await using server = startStdio(words, home.env);
    const { result } = await server.request("tools/list");
    await server.end();
    return result.tools.length;
  };
  equal(await count([]), toolsInGroups(TOOLS, BASE_GROUPS).length);
  equal(await count(["--groups", "root_data"]), 6);
  equal(
    await count(["--root", "gardener", "--groups", "root_data_readonly"]),
    3,
  );
  equal(await count(["--groups", "nope"]), 0);
});

Deno.test("200 calls sent at once are each answered under their own id", async () => {
  await using home = await openHome();
  await using server = startStdio(["--groups", "root_data"], home.env);
  const call = (id: number | string) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: {
      name: "get_root_record",
      arguments: { collection: "notes", [`id ${id}`]: 1 },
    },
  });
  const ids = Array.from({ length: 200 }, (_, n) => n % 2 === 0 ? n : `${n}`);
  await server.write(
    ids.map((id) => `${JSON.stringify(call(id))}\n`).join(""),
  );
  equal((await server.end()).code, 0);
  const answers = server.lines.map((line) => JSON.parse(line));
  equal(new Set(answers.map(({ id }) => id)).size, 200);
  for (const { id, result } of answers) {
    ok(ids.includes(id));
    ok(result.content[0].text.includes(`"id ${id}"`), result.content[0].text);
  }
});

Deno.test("a subscription is refused, so the end of the input is the end", async () => {
  await using home = await openHome();
  await using server = startStdio([], home.env);
  const { error } = await server.request("subscriptions/listen", {
    notifications: { toolsListChanged: true },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  });
  equal(error.code, -32601);
  const { code, ms } = await server.end();
  equal(code, 0);
  ok(ms < 5_000);
});

Deno.test("a session whose groups cannot be read is told so, in a call and in a list", async () => {
  await using home = await openHome({
    DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing",
  });
  await using server = startStdio(["--session", "1"], home.env);
  const called = await server.call("list_root_collections");
  equal(called.isError, true);
  match(called.content[0].text, /database cannot be reached; nothing was read/);
  const { error } = await server.request("tools/list");
  match(error.message, /database cannot be reached/);
  equal((await server.end()).code, 0);
});
