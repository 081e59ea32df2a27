import { deepEqual, equal, match, ok } from "node:assert/strict";
import { startSession } from "../support/sessions.ts";
import {
  API_KEY,
  openEndpoint,
  ROOTS,
  sessionQuery,
} from "../support/endpoint.ts";

Deno.test("[case 1] a connection without a session is refused, with what to add", async () => {
  await using endpoint = await openEndpoint();
  const answer = await endpoint.call(
    "?tool_groups=root_data",
    "list_root_collections",
  );
  ok(answer.isError);
  match(answer.text, /names no session: add session_id=<id>/);
});

Deno.test.each([
  ["abc"],
  ["0"],
  ["-1"],
  ["1.5"],
  ["1e3"],
  ["99999999999999999999"],
  [""],
  ["1 2"],
])(
  "[case 2] session_id=%s counts as no session",
  async (id) => {
    await using endpoint = await openEndpoint();
    const answer = await endpoint.call(
      `?tool_groups=root_data&session_id=${encodeURIComponent(id as string)}`,
      "list_root_collections",
    );
    match(answer.text, /names no session/);
  },
);

Deno.test("[case 3] an unknown session is refused by its number", async () => {
  await using endpoint = await openEndpoint();
  const answer = await endpoint.call(
    "?tool_groups=root_data&session_id=404",
    "list_root_collections",
  );
  ok(answer.isError);
  match(answer.text, /session 404, which does not exist/);
});

Deno.test.each([[null], ["  "]])(
  "[case 4] a session whose root key is %j has no root data",
  async (root) => {
    await using endpoint = await openEndpoint();
    const query = await sessionQuery(endpoint, root as string | null);
    const answer = await endpoint.call(query, "list_root_collections");
    match(answer.text, /was not started from an agent root/);
  },
);

Deno.test("[case 5] a root that is not in the catalog is refused by name", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "ghost");
  const answer = await endpoint.call(query, "list_root_collections");
  match(
    answer.text,
    /Agent root "ghost" \(session \d+\) is not in the catalog/,
  );
});

Deno.test("[case 6] an unreadable catalog does not read like a missing root", async () => {
  await using endpoint = await openEndpoint();
  const { openCatalog } = await import("../../catalog/mod.ts");
  await using missing = openCatalog({ source: "/nonexistent/roots.json" });
  const { callTool } = await import("../../mcp/tools/tool.ts");
  const { listRootCollections } = await import(
    "../../mcp/tools/root_data/list_root_collections.ts"
  );
  const { parseConnection } = await import(
    "../../mcp/caller/parse_connection.ts"
  );
  const query = await sessionQuery(endpoint, "gardener");
  const result = await callTool(listRootCollections, {
    services: { ...endpoint.services, catalog: missing },
    connection: parseConnection(new URLSearchParams(query)),
  }, {});
  equal(result.isError, true);
  match(
    result.content[0].text,
    /catalog could not be read.*nothing was read or written/,
  );
});

Deno.test.each([
  [""],
  ["Upper"],
  ["a b"],
  ["a/b"],
  ["a\n"],
  [7],
  [["x"]],
  [{}],
  ["x".repeat(201)],
])(
  "[case 7] data_namespace %j is malformed and refused",
  async (namespace) => {
    const roots = {
      r: { name: "r", data_namespace: namespace, data_collections: ["c"] },
    };
    await using endpoint = await openEndpoint({ roots });
    const query = await sessionQuery(endpoint, "r");
    const answer = await endpoint.call(query, "append_root_record", {
      collection: "c",
      data: {},
    });
    ok(answer.isError);
    match(answer.text, /root "r" resolves to the namespace .* not valid/);
  },
);

Deno.test("[case 7] a root's name outside the characters needs a data_namespace", async () => {
  const roots = { "My Root": { name: "My Root" } };
  await using endpoint = await openEndpoint({ roots });
  const query = await sessionQuery(endpoint, "My Root");
  match(
    (await endpoint.call(query, "list_root_collections")).text,
    /"My Root" resolves to the namespace "My Root", which is not valid/,
  );
});

Deno.test("[case 8] the deprecated alias leads to the orchestrator's entry and name", async () => {
  const roots = {
    "zimmer-orchestrator": {
      name: "zimmer-orchestrator",
      data_collections: ["runs"],
    },
  };
  await using endpoint = await openEndpoint({ roots });
  const query = await sessionQuery(endpoint, "zimmer-router");
  const { data } = await endpoint.call(query, "list_root_collections");
  equal(data.namespace, "zimmer-orchestrator");
  equal(data.agent_root, "zimmer-orchestrator");
});

Deno.test("[cases 9, 10] roots that resolve to one namespace share it, also by another's name", async () => {
  await using endpoint = await openEndpoint();
  const gardener = await sessionQuery(endpoint, "gardener");
  const shed = await sessionQuery(endpoint, "shed");
  await endpoint.call(gardener, "put_root_record", {
    collection: "free",
    key: "k",
    data: { from: "gardener" },
  });
  const { data } = await endpoint.call(shed, "get_root_record", {
    collection: "free",
    key: "k",
  });
  deepEqual(data.record.data, { from: "gardener" });
});

Deno.test("[case 11] two roots on one repository stay apart", async () => {
  await using endpoint = await openEndpoint();
  const gardener = await sessionQuery(endpoint, "gardener");
  const librarian = await sessionQuery(endpoint, "librarian");
  await endpoint.call(gardener, "append_root_record", {
    collection: "free",
    data: {},
  });
  const { data } = await endpoint.call(librarian, "search_root_records", {
    collection: "free",
  });
  equal(data.total, 0);
});

Deno.test("[case 12] arguments cannot name a namespace, a session or a writer", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  for (
    const name of [
      "namespace",
      "session_id",
      "writing_session_id",
      "expires_at",
      "retention_days",
    ]
  ) {
    const answer = await endpoint.call(query, "append_root_record", {
      collection: "free",
      data: {},
      [name]: 1,
    });
    ok(answer.isError);
    match(
      answer.text,
      new RegExp(`"${name}" is set by the server and cannot be passed`),
    );
  }
  const listed = await endpoint.call(query, "list_root_collections", {
    namespace: "x",
  });
  match(listed.text, /set by the server/);
});

Deno.test("[case 13] a pinned namespace survives a rename, an unpinned one is left behind", async () => {
  await using endpoint = await openEndpoint({
    roots: {
      a: { name: "a", data_namespace: "pinned", data_collections: ["c"] },
      b: { name: "b", data_collections: ["c"] },
    },
  });
  for (const root of ["a", "b"]) {
    const query = await sessionQuery(endpoint, root);
    await endpoint.call(query, "append_root_record", {
      collection: "c",
      data: {},
    });
  }
  await endpoint.setRoots({
    a2: { name: "a2", data_namespace: "pinned", data_collections: ["c"] },
    b2: { name: "b2", data_collections: ["c"] },
  });
  const total = async (root: string) => {
    const query = await sessionQuery(endpoint, root);
    return (await endpoint.call(query, "search_root_records", {
      collection: "c",
    }))
      .data.total;
  };
  deepEqual([await total("a2"), await total("b2")], [1, 0]);
});

Deno.test("[cases 26, 27] a dropped collection is listed, searched and deleted from, not written to", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  await endpoint.call(query, "put_root_record", {
    collection: "free",
    key: "k",
    data: {},
  });
  await endpoint.setRoots({ gardener: { name: "gardener" } });
  const { data } = await endpoint.call(query, "list_root_collections");
  deepEqual(
    data.collections.map((one: Record<string, unknown>) => [
      one.name,
      one.declared,
      one.writable,
      one.records,
    ]),
    [["free", false, false, 1]],
  );
  const refused = await endpoint.call(query, "put_root_record", {
    collection: "free",
    key: "k",
    data: {},
  });
  match(
    refused.text,
    /"free" is not declared by root "gardener"; it declares none/,
  );
  const found = await endpoint.call(query, "search_root_records", {
    collection: "free",
  });
  equal(found.data.total, 1);
  const deleted = await endpoint.call(query, "delete_root_record", {
    collection: "free",
    key: "k",
  });
  equal(deleted.data.result, "deleted");
});

Deno.test("[cases 28, 29] a changed retention leaves stored records alone until they are put again", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const put = () =>
    endpoint.call(query, "put_root_record", {
      collection: "runs",
      key: "k",
      data: {},
    });
  const stored = await put();
  ok(stored.data.record.expires_at !== null);
  await endpoint.setRoots({
    gardener: { name: "gardener", data_collections: { runs: {} } },
  });
  const read = await endpoint.call(query, "get_root_record", {
    collection: "runs",
    key: "k",
  });
  equal(read.data.record.expires_at, stored.data.record.expires_at);
  equal((await put()).data.record.expires_at, null);
});

Deno.test("[case 36] a schema mismatch lists paths and writes nothing", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const answer = await endpoint.call(query, "put_root_record", {
    collection: "notes",
    key: "k",
    data: { other: 1 },
  });
  ok(answer.isError);
  match(answer.text, /does not match the schema of "notes".*title/s);
  const { data } = await endpoint.call(query, "search_root_records", {
    collection: "notes",
  });
  equal(data.total, 0);
});

Deno.test("[case 37] a schema with a remote $ref refuses writes as an unusable declaration", async () => {
  let calls = 0;
  await using server = Deno.serve({
    port: 0,
    hostname: "127.0.0.1",
    onListen() {},
  }, () => {
    calls++;
    return Response.json({});
  });
  const ref = `http://127.0.0.1:${server.addr.port}/schema.json`;
  await using endpoint = await openEndpoint({
    roots: {
      r: { name: "r", data_collections: { c: { schema: { $ref: ref } } } },
    },
  });
  const query = await sessionQuery(endpoint, "r");
  const answer = await endpoint.call(query, "append_root_record", {
    collection: "c",
    data: {},
  });
  ok(answer.isError);
  match(answer.text, /schema declared for collection "c"/);
  equal(calls, 0);
});

Deno.test("[case 46] the writer is the connection's session", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const { data } = await endpoint.call(query, "append_root_record", {
    collection: "free",
    data: { writing_session_id: 999 },
  });
  equal(
    String(data.record.writing_session_id),
    new URLSearchParams(query).get("session_id"),
  );
});

Deno.test("[case 51] limits and offsets outside their range are refused by the schema", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  for (
    const args of [
      { limit: 0 },
      { limit: 101 },
      { limit: -1 },
      { offset: -1 },
      { limit: 1.5 },
    ]
  ) {
    const answer = await endpoint.call(query, "search_root_records", {
      collection: "free",
      ...args,
    });
    ok(answer.isError);
    match(answer.text, /Invalid arguments: (limit|offset) must be/);
  }
});

Deno.test("[case 54] get and delete take exactly one of key and id", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  for (const name of ["get_root_record", "delete_root_record"]) {
    const both = await endpoint.call(query, name, {
      collection: "free",
      key: "k",
      id: 1,
    });
    match(both.text, /key or id, not both/);
    const neither = await endpoint.call(query, name, { collection: "free" });
    match(neither.text, /neither was given/);
  }
});

Deno.test("[case 56] a misspelt collection gives an empty page with a note", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const { data } = await endpoint.call(query, "search_root_records", {
    collection: "note",
  });
  deepEqual(data.records, []);
  match(
    data.note,
    /Nothing is stored under "note", and the root does not declare it/,
  );
});

Deno.test("append refuses a key and says which tool takes one", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const answer = await endpoint.call(query, "append_root_record", {
    collection: "free",
    key: "k",
    data: {},
  });
  match(answer.text, /no key, so key cannot be passed; use put_root_record/);
});

Deno.test("an undeclared collection is refused with the declared ones", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const answer = await endpoint.call(query, "put_root_record", {
    collection: "note",
    key: "k",
    data: {},
  });
  match(
    answer.text,
    /"note" is not declared by root "gardener"; declared: free, notes, runs/,
  );
});

Deno.test("list shows limits, schemas and usage, and a note for a root with nothing", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  await endpoint.call(query, "append_root_record", {
    collection: "runs",
    data: { a: 1 },
  });
  const { data, text } = await endpoint.call(query, "list_root_collections");
  deepEqual(JSON.parse(text), data);
  equal(data.limits.data_bytes_per_record, 32_768);
  const [free, notes, runs] = data.collections;
  deepEqual([free.name, free.schema, free.records], ["free", null, 0]);
  deepEqual(notes.schema, { type: "object", required: ["title"] });
  deepEqual([runs.retention_days, runs.records, runs.bytes], [30, 1, 7]);
  const bare = await endpoint.call(
    await sessionQuery(endpoint, "bare"),
    "list_root_collections",
  );
  match(
    bare.data.note,
    /add "data_collections" to the catalog entry of root "bare"/,
  );
});

Deno.test("a schema over 8 KB is left out of the list whole", async () => {
  const schema = { type: "object", description: "x".repeat(9_000) };
  await using endpoint = await openEndpoint({
    roots: { r: { name: "r", data_collections: { c: { schema } } } },
  });
  const query = await sessionQuery(endpoint, "r");
  const { data } = await endpoint.call(query, "list_root_collections");
  ok(data.collections[0].schema_omitted.bytes > 9_000);
  ok(!("schema" in data.collections[0]));
});

Deno.test("stringified arguments are read where the schema wants another type", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const put = await endpoint.call(query, "put_root_record", {
    collection: "free",
    key: "7",
    data: '{"a": 1}',
  });
  equal(put.data.record.key, "7");
  const { data } = await endpoint.call(query, "search_root_records", {
    collection: "free",
    filter: '{"a": 1}',
    limit: "5",
  });
  deepEqual(data.records[0].data, { a: 1 });
  equal(data.limit, 5);
});

Deno.test("__proto__ in data comes back through the whole endpoint", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const response = await endpoint.rpc(
    query,
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"put_root_record","arguments":{"collection":"free","key":"k","data":{"__proto__":{"a":1},"constructor":2}}}}',
  );
  equal((await response.json()).result.isError, undefined);
  const read = await endpoint.rpc(
    query,
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_root_record","arguments":{"collection":"free","key":"k"}}}',
  );
  const text = await read.text();
  match(text, /"structuredContent":.*"__proto__":\{"a":1\}/);
});

Deno.test("with REQUIRE_SESSION_TOKEN a key alone opens no root data, a token does", async () => {
  await using endpoint = await openEndpoint({ requireSessionToken: true });
  const { session, token } = await startSession(endpoint.test.db, {
    agentRootKey: "gardener",
  });
  const query = `?tool_groups=root_data&session_id=${session.id}`;
  const refused = await endpoint.call(query, "list_root_collections");
  match(refused.text, /only to connections that prove their session/);
  const answer = await endpoint.call("", "list_root_collections", {}, {
    authorization: `Bearer ${token}`,
  });
  equal(answer.data.namespace, "gardener");
});

Deno.test("a catalog entry may name collections in a bare list", async () => {
  await using endpoint = await openEndpoint({ roots: ROOTS });
  const query = await sessionQuery(endpoint, "librarian");
  const answer = await endpoint.call(query, "append_root_record", {
    collection: "books",
    data: { title: "Soil" },
  }, { "x-api-key": API_KEY });
  equal(answer.data.result, "appended");
});

Deno.test("a schema nested too deep to be written is left out of the list, too", async () => {
  await using endpoint = await openEndpoint({
    roots: {
      r: { name: "r", data_collections: { c: { schema: {} }, d: {} } },
    },
  });
  const nested = `${'{"not":'.repeat(20_000)}{}${"}".repeat(20_000)}`;
  await endpoint.setRootsText(
    `{"r":{"name":"r","data_collections":{"c":{"schema":${nested}},"d":{}}}}`,
  );
  const query = await sessionQuery(endpoint, "r");
  const { data } = await endpoint.call(query, "list_root_collections");
  ok("schema_omitted" in data.collections[0]);
  equal(data.collections[1].schema, null);
});

Deno.test("a refusal carries its reason and its numbers for programs", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const metaOf = async (name: string, args: unknown) => {
    const response = await endpoint.rpc(query, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    });
    const { result } = await response.json();
    return result._meta?.["rootcellar/refusal"];
  };
  const data = { text: "x".repeat(40_000) };
  const large = await metaOf("append_root_record", {
    collection: "free",
    data,
  });
  equal(large.reason, "data_too_large");
  equal(large.limit, 32_768);
  equal(
    (await metaOf("get_root_record", { collection: "free", nope: 1 })).reason,
    "invalid_call",
  );
  equal(
    await metaOf("append_root_record", { collection: "free", data: {} }),
    undefined,
  );
});
