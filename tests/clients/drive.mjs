// Drives an SDK client through one connection: list, call, a tool error, a
// large result. Takes its task as JSON in the first argument, prints JSON.
const task = JSON.parse(process.argv[2]);
const { client: kind, url, headers, command, args, env } = task;

async function connect() {
  const info = { name: "interop", version: "0" };
  if (kind === "v1") {
    const { Client } = await import(
      "@modelcontextprotocol/sdk/client/index.js"
    );
    const { StreamableHTTPClientTransport } = await import(
      "@modelcontextprotocol/sdk/client/streamableHttp.js"
    );
    const { StdioClientTransport } = await import(
      "@modelcontextprotocol/sdk/client/stdio.js"
    );
    const client = new Client(info);
    await client.connect(
      url === undefined
        ? new StdioClientTransport({ command, args, env, stderr: "ignore" })
        : new StreamableHTTPClientTransport(new URL(url), {
          requestInit: { headers },
        }),
    );
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import(
    "@modelcontextprotocol/client"
  );
  const { StdioClientTransport } = await import(
    "@modelcontextprotocol/client/stdio"
  );
  const mode = kind === "pin" ? { pin: "2026-07-28" } : kind;
  const client = new Client(
    info,
    kind === "default" ? {} : { versionNegotiation: { mode } },
  );
  await client.connect(
    url === undefined
      ? new StdioClientTransport({ command, args, env, stderr: "ignore" })
      : new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers },
      }),
  );
  return client;
}

const client = await connect();
const call = (name, toolArguments = {}) =>
  client.callTool({ name, arguments: toolArguments });
const { tools } = await client.listTools();
const listed = await call("list_root_collections");
const refused = await call("get_root_record");
const page = await call("search_root_records", {
  collection: "free",
  max_bytes: 200_000,
});
console.log(JSON.stringify({
  tools: tools.length,
  namespace: listed.structuredContent?.namespace,
  isError: refused.isError,
  refusal: refused.content[0].text,
  large: page.content[0].text.length,
}));
await client.close();
process.exit(0);
