/**
 * `deno task bench http`: a tool call over HTTP that needs no database, against
 * bare Hono and a plain server of the SDK, in turns on the same machine.
 *
 * The product is called with its key, checks host, credential and arguments,
 * and refuses `list_root_collections` because the connection names no session.
 *
 * @module
 */
import { applyLoad, type Load, median } from "./load.ts";

/** What is compared: a server, and the era in which it is called. */
const CONTESTANTS = [
  { label: "bare Hono", server: "hono", era: "legacy" },
  { label: "plain, legacy", server: "plain", era: "legacy" },
  { label: "plain, modern", server: "plain", era: "modern" },
  { label: "plain, one tool, modern", server: "plain-one", era: "modern" },
  { label: "plain, schemas built once", server: "plain-shared", era: "modern" },
  { label: "ours, legacy", server: "ours", era: "legacy" },
  { label: "ours, modern", server: "ours", era: "modern" },
] as const;

type Contestant = typeof CONTESTANTS[number];

const TOOL = "list_root_collections";
const MODERN_HEADERS =
  `MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: ${TOOL}\r\n`;
const MODERN_META = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

/** Measured, and put in relation. */
export interface HttpReport {
  readonly machine: string;
  readonly rows: readonly ({ readonly label: string } & Load)[];
  /** Ours over plain, by era. */
  readonly ratios: { readonly legacy: number; readonly modern: number };
}

/** Runs the comparison. */
export async function benchHttp(
  { rounds, seconds, connections }: {
    readonly rounds: number;
    readonly seconds: number;
    readonly connections: number;
  },
): Promise<HttpReport> {
  await using servers = new Servers();
  const loads = new Map<Contestant, Load[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const one of CONTESTANTS) {
      const port = await servers.portOf(one.server);
      const load = await applyLoad(port, requestBytes(one, port), {
        connections,
        seconds,
        expect: `"text":"`,
      });
      // The first round only warms up.
      if (round > 0) loads.set(one, [...loads.get(one) ?? [], load]);
    }
  }
  const rows = CONTESTANTS.map((one) => {
    const all = loads.get(one) ?? [];
    return {
      label: one.label,
      rate: median(all.map(({ rate }) => rate)),
      p50: median(all.map(({ p50 }) => p50)),
      p99: median(all.map(({ p99 }) => p99)),
    };
  });
  const rate = (label: string) =>
    rows.find((row) => row.label === label)?.rate ?? NaN;
  return {
    machine:
      `${navigator.hardwareConcurrency} cores, Deno ${Deno.version.deno}`,
    rows,
    ratios: {
      legacy: rate("ours, legacy") / rate("plain, legacy"),
      modern: rate("ours, modern") / rate("plain, modern"),
    },
  };
}

function requestBytes({ era }: Contestant, port: number): Uint8Array {
  const isModern = era === "modern";
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: TOOL,
      arguments: {},
      ...(isModern ? MODERN_META : {}),
    },
  });
  return new TextEncoder().encode(
    `POST /mcp?tool_groups=root_data HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
      "X-API-Key: bench\r\nContent-Type: application/json\r\n" +
      "Accept: application/json, text/event-stream\r\n" +
      (isModern ? MODERN_HEADERS : "") +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
}

class Servers implements AsyncDisposable {
  readonly #running = new Map<string, [Deno.ChildProcess, Promise<number>]>();

  portOf(name: string): Promise<number> {
    const known = this.#running.get(name);
    if (known !== undefined) return known[1];
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-q",
        "-A",
        new URL("./http_server.ts", import.meta.url).pathname,
        name,
      ],
      stdout: "piped",
    }).spawn();
    const port = firstNumber(child.stdout);
    this.#running.set(name, [child, port]);
    return port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [child] of this.#running.values()) {
      child.kill("SIGKILL");
      await child.status;
    }
  }
}

async function firstNumber(
  stream: ReadableStream<Uint8Array>,
): Promise<number> {
  let text = "";
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error("The server did not start");
    text += value;
  }
  await reader.cancel();
  return Number(text);
}
