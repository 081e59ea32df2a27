import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  API_KEY,
  openEndpoint,
  sessionQuery,
  type TestEndpoint,
} from "../support/endpoint.ts";

/** Asks in the older era; the result, or the error. */
async function ask(
  endpoint: TestEndpoint,
  query: string,
  method: string,
  params: object = {},
  // deno-lint-ignore no-explicit-any -- tests look into answers freely
): Promise<any> {
  const response = await endpoint.rpc(query, {
    jsonrpc: "2.0",
    id: 1,
    method,
    params,
  });
  const { result, error } = await response.json();
  return result ?? error;
}

/** The same in the newer era. */
async function askModern(
  endpoint: TestEndpoint,
  query: string,
  method: string,
  // deno-lint-ignore no-explicit-any -- tests look into answers freely
): Promise<any> {
  const response = await endpoint.fetch(`/mcp${query}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": API_KEY,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "t", version: "0" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  const { result, error } = await response.json();
  return result ?? error;
}

const names = (list: readonly { readonly name: string }[]) =>
  list.map(({ name }) => name);

Deno.test("prompts and resources are listed in both eras, without a database", async () => {
  await using endpoint = await openEndpoint();
  const query = "?tool_groups=root_data,memory";
  for (const era of [ask, askModern]) {
    const { prompts } = await era(endpoint, query, "prompts/list");
    deepEqual(names(prompts), ["remember", "recall", "hand_over"]);
    const { resources } = await era(endpoint, query, "resources/list");
    deepEqual(names(resources), ["collections"]);
    const { resourceTemplates } = await era(
      endpoint,
      query,
      "resources/templates/list",
    );
    deepEqual(names(resourceTemplates), ["collection", "record"]);
  }
});

Deno.test("a connection is offered what its tools can do, and no more", async () => {
  await using endpoint = await openEndpoint();
  const offered = async (query: string) => [
    ...names((await ask(endpoint, query, "prompts/list")).prompts),
    ...names((await ask(endpoint, query, "resources/list")).resources),
  ];
  deepEqual(await offered("?tool_groups=memory_readonly"), ["recall"]);
  deepEqual(await offered("?tool_groups=root_data_readonly"), ["collections"]);
  deepEqual(await offered("?tool_groups=health"), []);
  const hidden = await ask(
    endpoint,
    "?tool_groups=memory_readonly",
    "prompts/get",
    { name: "remember" },
  );
  equal(hidden.code, -32602);
  const unread = await ask(
    endpoint,
    "?tool_groups=memory",
    "resources/read",
    { uri: "rootcellar://collections" },
  );
  match(unread.message, /not found/i);
});

Deno.test("a prompt says its argument to the agent, and refuses what it cannot use", async () => {
  await using endpoint = await openEndpoint();
  const get = (name: string, args?: object) =>
    ask(endpoint, "?tool_groups=root_data,memory", "prompts/get", {
      name,
      ...(args === undefined ? {} : { arguments: args }),
    });
  const text = async (name: string, args?: object) =>
    (await get(name, args)).messages[0].content.text;
  match(
    await text("recall", { task: "plant roses" }),
    /recall_memory[^]*roses/,
  );
  match(await text("remember"), /our conversation/);
  match(await text("remember", { what: "tea" }), /\n\ntea$/);
  match(await text("hand_over", { collection: "notes" }), /"notes"/);
  for (
    const [name, args, reason] of [
      ["recall", {}, /recall needs "task"/],
      ["recall", { task: " " }, /recall needs "task"/],
      ["remember", { what: "x".repeat(10_001) }, /more than 10000 characters/],
      ["forget", {}, /Prompt not found: forget/],
    ] as const
  ) {
    const { code, message } = await get(name, args);
    equal(code, -32602);
    match(message, reason);
  }
});

Deno.test("resources show what the reading tools show", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  const key = "a/b c%ü";
  await endpoint.call(query, "put_root_record", {
    collection: "notes",
    key,
    data: { title: "Roses" },
  });
  const read = async (uri: string) => {
    const answer = await ask(endpoint, query, "resources/read", { uri });
    return answer.contents === undefined
      ? answer.message
      : JSON.parse(answer.contents[0].text);
  };
  const all = await read("rootcellar://collections");
  ok(names(all.collections).includes("notes"));
  const { records, schema } = await read("rootcellar://collections/notes");
  equal(records, 1);
  ok(schema !== undefined);
  const uri = `rootcellar://collections/notes/records/${
    encodeURIComponent(key)
  }`;
  deepEqual((await read(uri)).record.data, { title: "Roses" });
  match(await read("rootcellar://collections/ghost"), /no collection "ghost"/);
  match(
    await read("rootcellar://collections/notes/records/none"),
    /none/,
  );
  for (
    const wrong of [
      "rootcellar://collections/%",
      "rootcellar://collections/notes/records/a/b",
      "rootcellar://other",
      "file:///etc/passwd",
    ]
  ) match(await read(wrong), /not found/i);
});

Deno.test("collections and keys are completed by their beginning", async () => {
  await using endpoint = await openEndpoint();
  const query = await sessionQuery(endpoint, "gardener");
  for (const key of ["rose-1", "rose-2", "tulip"]) {
    await endpoint.call(query, "put_root_record", {
      collection: "notes",
      key,
      data: { title: key },
    });
  }
  const complete = async (name: string, value: string, filled = {}) =>
    (await ask(endpoint, query, "completion/complete", {
      ref: {
        type: "ref/resource",
        uri: "rootcellar://collections/{collection}/records/{key}",
      },
      argument: { name, value },
      context: { arguments: filled },
    })).completion.values;
  deepEqual(await complete("collection", "no"), ["notes"]);
  deepEqual(
    (await complete("key", "rose", { collection: "notes" })).sort(),
    ["rose-1", "rose-2"],
  );
  deepEqual(await complete("key", "rose"), []);
  deepEqual(await complete("other", ""), []);
});

Deno.test("clients that look for a login are told what to send instead", async () => {
  await using endpoint = await openEndpoint();
  for (
    const [method, path, status, error] of [
      ["POST", "/register", 401, "invalid_client"],
      ["POST", "/token", 401, "invalid_client"],
      ["GET", "/authorize", 404, "not_found"],
      ["GET", "/.well-known/oauth-protected-resource/mcp", 404, "not_found"],
      ["GET", "/.well-known/oauth-authorization-server", 404, "not_found"],
    ] as const
  ) {
    const response = await endpoint.handler.fetch(
      new Request(`http://localhost${path}`, { method }),
      "127.0.0.1",
    );
    equal(response.status, status, path);
    const body = await response.json();
    equal(body.error, error);
    match(body.error_description, /no OAuth.*X-API-Key/);
  }
});

Deno.test("a token that ended says which session it was of, and nothing that is stored", async () => {
  await using endpoint = await openEndpoint();
  const response = await endpoint.handler.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: { authorization: `Bearer rcs_17_${"x".repeat(43)}` },
    }),
    "127.0.0.1",
  );
  equal(response.status, 401);
  match((await response.json()).message, /token of session 17 .*archived/);
});

Deno.test("hosts are told which tools to show at once, and that long results are meant to be read", async () => {
  await using endpoint = await openEndpoint();
  const { tools } = await ask(
    endpoint,
    "?tool_groups=root_data,memory",
    "tools/list",
  );
  const atOnce = tools.filter((
    { _meta }: { _meta: Record<string, unknown> },
  ) => _meta["anthropic/alwaysLoad"] === true);
  deepEqual(names(atOnce), [
    "list_root_collections",
    "recall_memory",
    "store_memory",
  ]);
  for (const { _meta } of tools) {
    ok(_meta["anthropic/maxResultSizeChars"] > 200_000);
  }
});
