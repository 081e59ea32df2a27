/**
 * A client over the pipes of a process, as thin as one can be: it writes and
 * reads with plain system calls, so that next to nothing of a measured time is
 * its own. One client waits at a time, and the whole process waits with it.
 *
 * @module
 */
import { programArguments } from "../../cli/entry/start_command.ts";
import { packagedMain } from "./program.ts";

/** After this long the process is killed, and a reader finds the end. */
const LIFE_SECONDS = 1_800;

/** A process that answers lines with lines. */
export interface PipeClient extends AsyncDisposable {
  /** Of the process, once it has answered. */
  pid(): Promise<number>;
  /** Sends a line. */
  send(line: string): void;
  /** Waits for the next line. */
  receive(): string;
  /** Sends a line and waits for one. */
  exchange(line: string): string;
}

/** An MCP server behind pipes. */
export interface McpClient extends PipeClient {
  /** Sends a request; the answer as it came. */
  request(method: string, params?: unknown): string;
  /** Calls a tool; throws when it refuses. The answer as it came. */
  call(name: string, args: unknown): string;
}

/** Starts a process. */
export async function openPipes(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<PipeClient> {
  const folder = await Deno.makeTempDir({ prefix: "rc-pipes-" });
  const [input, output] = [`${folder}/in`, `${folder}/out`];
  await new Deno.Command("mkfifo", { args: [input, output] }).output();
  const child = new Deno.Command("sh", {
    args: [
      "-c",
      `exec timeout ${LIFE_SECONDS} sh -c 'echo $$ >"${folder}/pid"; exec "$0" "$@"' "$0" "$@" <"${input}" >"${output}"`,
      program,
      ...args,
    ],
    env: { ...env },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const writer = await Deno.open(input, { write: true });
  const reader = await Deno.open(output, { read: true });
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(1024 * 1024);
  let rest = "";
  const self: PipeClient = {
    async pid() {
      // Not the child's own: `timeout` is between us and the process.
      return Number(await Deno.readTextFile(`${folder}/pid`));
    },
    send(line) {
      const bytes = encoder.encode(`${line}\n`);
      for (let at = 0; at < bytes.length;) {
        at += writer.writeSync(bytes.subarray(at));
      }
    },
    receive() {
      for (;;) {
        const end = rest.indexOf("\n");
        if (end >= 0) {
          const line = rest.slice(0, end);
          rest = rest.slice(end + 1);
          return line;
        }
        const read = reader.readSync(buffer);
        if (read === null) throw new Error(`${program} ended: ${rest}`);
        rest += decoder.decode(buffer.subarray(0, read), { stream: true });
      }
    },
    exchange(line) {
      self.send(line);
      return self.receive();
    },
    async [Symbol.asyncDispose]() {
      writer.close();
      reader.close();
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
  return self;
}

/** Starts an MCP server and shakes hands. */
export async function openMcp(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<McpClient> {
  const pipes = await openPipes(program, args, env);
  let id = 0;
  const request = (method: string, params: unknown = {}) =>
    pipes.exchange(requestLine(++id, method, params));
  const client = Object.create(pipes, {
    request: { value: request },
    call: {
      value(name: string, args: unknown) {
        return assertAnswer(
          request("tools/call", { name, arguments: args }),
        );
      },
    },
  }) as McpClient;
  request("initialize", INITIALIZE);
  pipes.send(
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
  );
  return client;
}

/** Starts the product over stdio, as the package has it by default. */
export async function openStdio(
  root: string,
  env: Readonly<Record<string, string>>,
  { words = [], main }: {
    readonly words?: readonly string[];
    readonly main?: string;
  } = {},
): Promise<McpClient> {
  return await openMcp(
    Deno.execPath(),
    programArguments(main ?? await packagedMain(), [
      ...["stdio", "--root", root],
      ...words,
    ]),
    env,
  );
}

/** A request as one line. */
export function requestLine(
  id: number,
  method: string,
  params: unknown,
): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** An answer that is no error and no refusal, as it came. */
export function assertAnswer(line: string): string {
  if (line.includes('"isError":true') || !line.includes('"result"')) {
    throw new Error(`Refused: ${line.slice(0, 500)}`);
  }
  return line;
}

/** Parameters of the handshake. */
export const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "0" },
} as const;
