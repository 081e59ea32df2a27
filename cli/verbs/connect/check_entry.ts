/**
 * Tries a connection as a client would: nothing of this process's environment
 * but what clients hand on, its folder, and the limits that clients have.
 *
 * @module
 */
import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import {
  getDefaultEnvironment,
  StdioClientTransport,
} from "@modelcontextprotocol/client/stdio";
import { type Connector, VERSION } from "../../../mcp/mod.ts";
import { print, printError } from "../../output.ts";
import { callerFolder } from "../../settings/environment.ts";

/** Longest time that a client waits for anything. */
const LIMIT_MS = 120_000;
/** What is shown of the server's own words, in characters. */
const MAX_WORDS = 2_000;

/** A tool that reads the database and needs no argument, the best first. */
const PROOFS: readonly string[] = [
  "list_root_collections",
  "get_memory_status",
  "get_system_health",
];

/** Connects, lists the tools, calls one; resolves with the exit code. */
export async function checkEntry(connector: Connector): Promise<number> {
  const { transport, words } = transportOf(connector);
  const client = new Client({ name: "rootcellar-connect", version: VERSION });
  const lap = stopwatch();
  try {
    const options = { timeout: LIMIT_MS };
    await client.connect(transport, options);
    const started = lap();
    const { tools } = await client.listTools({}, options);
    print(
      `Checked: it answers after ${started} s, and shows ${tools.length} tools ${lap()} s later`,
    );
    const proof = PROOFS.find((name) =>
      tools.some((tool) => tool.name === name)
    );
    if (proof === undefined) return 0;
    const { isError, content } = await client.callTool(
      { name: proof, arguments: {} },
      options,
    );
    const [first] = content;
    if (isError === true) {
      throw new Error(
        `${proof} says: ${first?.type === "text" ? first.text : "nothing"}`,
      );
    }
    print(`Checked: ${proof} answers from the database after ${lap()} s more`);
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    printError(`The check failed after ${lap()} s: ${reason}`);
    const said = words().trim().slice(-MAX_WORDS);
    if (said !== "") printError(`The server said: ${said}`);
    return 1;
  } finally {
    await client.close();
  }
}

function transportOf(connector: Connector): {
  readonly transport: StdioClientTransport | StreamableHTTPClientTransport;
  /** What the server said on stderr. */
  readonly words: () => string;
} {
  if (connector.kind === "http") {
    const { url, header: [name, value] } = connector;
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { [name]: value } },
    });
    return { transport, words: () => "" };
  }
  const { command: [command = "", ...args], env } = connector;
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...getDefaultEnvironment(), ...env },
    cwd: callerFolder(),
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (chunk) => {
    said = (said + String(chunk)).slice(-2 * MAX_WORDS);
  });
  return { transport, words: () => said };
}

/** Seconds since it was last asked, as text. */
function stopwatch(): () => string {
  let at = performance.now();
  return () => {
    const now = performance.now();
    const seconds = (now - at) / 1_000;
    at = now;
    return seconds.toFixed(2);
  };
}
