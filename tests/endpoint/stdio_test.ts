/** MCP over two streams in this process. */
import { deepEqual, equal, ok } from "node:assert/strict";
import { parseConnection } from "../../mcp/caller/parse_connection.ts";
import { runStdio } from "../../mcp/protocol/stdio.ts";
import { openEndpoint, sessionQuery } from "../support/endpoint.ts";

/**
 * Sends lines of bytes, one by one where each is to be answered before the next
 * is sent, and returns what came back, as it came.
 */
async function exchange(
  lines: readonly Uint8Array[],
  root = "gardener",
  { oneByOne = false } = {},
): Promise<string> {
  await using endpoint = await openEndpoint();
  const query = new URLSearchParams(await sessionQuery(endpoint, root));
  let output = "";
  let answered = Promise.withResolvers<void>();
  await runStdio(endpoint.services, parseConnection(query), {
    input: (async function* () {
      for (const line of lines) {
        answered = Promise.withResolvers();
        yield line;
        yield new Uint8Array([0x0a]);
        if (oneByOne) await answered.promise;
      }
    })(),
    write(bytes) {
      output += new TextDecoder().decode(bytes);
      answered.resolve();
      return Promise.resolve();
    },
  });
  return output;
}

function call(id: number, name: string, args: unknown): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args },
  });
}

const encode = (text: string) => new TextEncoder().encode(text);
/** The same text as Windows' code page 1252 has it. */
const encodeLatin = (text: string) =>
  Uint8Array.from(text, (one) => one.charCodeAt(0));

Deno.test("a line that is not UTF-8 is refused, and two keys never become one", async () => {
  const put = (id: number, key: string) =>
    call(id, "put_root_record", { collection: "free", key, data: { id } });
  const output = await exchange([
    encodeLatin(put(1, "é")),
    encodeLatin(put(2, "ü")),
    encode(put(3, "é")),
    encode(call(4, "search_root_records", { collection: "free" })),
  ]);
  const answers = output.trimEnd().split("\n").map((line) => JSON.parse(line));
  deepEqual(
    answers.filter(({ error }) => error !== undefined).map(({ error }) =>
      error
    ),
    Array(2).fill({
      code: -32700,
      message: "The line is not valid JSON in UTF-8",
    }),
  );
  const [done] = answers.filter(({ id }) => id === 3);
  equal(done.result.structuredContent.result, "created");
});

Deno.test("what some readers take for a line end leaves escaped", async () => {
  const note = "before\u2028after\u2029end";
  const output = await exchange([
    encode(
      call(1, "put_root_record", {
        collection: "free",
        key: "sep",
        data: { note },
      }),
    ),
    encode(call(2, "get_root_record", { collection: "free", key: "sep" })),
  ]);
  equal(output.split(/[\n\u2028\u2029]/).length, 3);
  const answers = output.trimEnd().split("\n").map((line) => JSON.parse(line));
  const [got] = answers.filter(({ id }) => id === 2);
  ok(got !== undefined);
  // The two calls run at once: either order is right, a broken line is not.
  if (got.result.isError !== true) {
    deepEqual(got.result.structuredContent.record.data, { note });
  }
});

Deno.test("the calls of a connection are answered alike, the first and those that follow", async () => {
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  for (const meta of [undefined, { progressToken: 1 }, envelope]) {
    const request = (id: number, name: string) =>
      encode(JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name, arguments: { collection: "free" }, _meta: meta },
      }));
    const output = await exchange(
      [
        request(1, "search_root_records"),
        // The era is known once something was answered.
        ...[2, 3, 4].map((id) => request(id, "search_root_records")),
        request(5, "no_such_tool"),
      ],
      "gardener",
      { oneByOne: true },
    );
    const answers = output.trimEnd().split("\n").map((line) =>
      JSON.parse(line)
    );
    const [first, ...rest] = answers.map(({ id: _, ...answer }) => answer);
    deepEqual(answers.map(({ id }) => id), [1, 2, 3, 4, 5]);
    deepEqual(rest.slice(0, 3), [first, first, first]);
    equal(first.result.resultType === "complete", meta === envelope);
    equal(rest[3].error.message, "Tool not found: no_such_tool");
  }
});
