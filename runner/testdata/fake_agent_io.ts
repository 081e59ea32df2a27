/**
 * How the fake agent writes, and calls tools.
 *
 * @module
 */

/** A JSON object. */
export type Json = Record<string, unknown>;

/** An entry of an MCP server. */
export interface McpEntry {
  readonly url?: string;
  readonly headers?: readonly {
    readonly name: string;
    readonly value: string;
  }[];
}

/** Writes all of it. */
export function write(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) {
    at += Deno.stdout.writeSync(bytes.subarray(at));
  }
}

/** Sends a message. */
export function send(message: Json): void {
  write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Calls a tool of the first server, for real. */
export async function callTool(
  servers: readonly McpEntry[],
  name: string,
  args: Json,
): Promise<string> {
  const [server] = servers;
  if (server?.url === undefined) return "no MCP server";
  const response = await fetch(server.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...Object.fromEntries(
        (server.headers ?? []).map((one) => [one.name, one.value]),
      ),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  const text = await response.text();
  return response.ok ? text : `HTTP ${response.status}`;
}
