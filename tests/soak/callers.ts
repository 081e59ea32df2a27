/**
 * The two ways to call the server, as a client does it.
 *
 * @module
 */
import { programArguments } from "../../cli/entry/start_command.ts";
import { mainFolder } from "../support/process.ts";
import { type Answer, answerOf } from "./answer.ts";

const DEADLINE_MS = 60_000;
const ENDED: Answer = { kind: "unknown", text: "The process has ended" };

function request(id: number, tool: string, args: unknown): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: tool, arguments: args },
  });
}

/** Calls over HTTP; a signal cuts the connection. */
export async function callHttp(
  url: string,
  credential: string,
  { groups = "root_data", client, ...call }: {
    readonly tool: string;
    readonly args: unknown;
    /** @default {"root_data"} */
    readonly groups?: string | undefined;
    /** @default {the one of the process, which keeps connections} */
    readonly client?: Deno.HttpClient | undefined;
  },
  cut?: AbortSignal,
): Promise<Answer> {
  const limit = AbortSignal.timeout(DEADLINE_MS);
  try {
    const response = await fetch(`${url}?tool_groups=${groups}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${credential}`,
        "content-type": "application/json",
      },
      body: request(1, call.tool, call.args),
      ...(client === undefined ? {} : { client }),
      signal: cut === undefined ? limit : AbortSignal.any([limit, cut]),
    });
    const text = await response.text();
    if (response.status === 200) return answerOf(JSON.parse(text).result);
    // Stopping, or the token could not be looked up: no tool ran.
    if (response.status === 503) {
      return { kind: "refused", rule: "unavailable", text };
    }
    return { kind: "surprise", text: `${response.status} ${text}` };
  } catch (error) {
    if (limit.aborted) return { kind: "surprise", text: "No answer in 60 s" };
    // Also where it says "Connection refused": `fetch` sends a request again
    // when a kept connection ends under it, and reports the second try only.
    return { kind: "unknown", text: String(error) };
  }
}

/** A stdio process, and calls through it. */
export class StdioClient {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #reading: Promise<void>;
  readonly #errors: Promise<void>;
  #id = 0;
  #hasEnded = false;

  constructor(session: number, env: Readonly<Record<string, string>>) {
    const words = ["stdio", "--session", String(session)];
    this.#child = new Deno.Command(Deno.execPath(), {
      args: [...programArguments(mainFolder("main.ts"), words)],
      env: { ...env },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#reading = this.#read();
    this.#errors = this.#child.stderr.pipeTo(new WritableStream());
  }

  /** Calls a tool; an answer that does not come any more is unknown. */
  async call(tool: string, args: unknown): Promise<Answer> {
    if (this.#hasEnded) return ENDED;
    const id = ++this.#id;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, resolve);
    const timer = setTimeout(
      () => resolve({ kind: "surprise", text: "No answer in 60 s" }),
      DEADLINE_MS,
    );
    const line = new TextEncoder().encode(`${request(id, tool, args)}\n`);
    await this.#writer.write(line).catch(() => {});
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  /** Ends it by the end of its input or by a signal; the exit code. */
  async end(how: "input" | "SIGTERM" | "SIGKILL"): Promise<number> {
    if (how === "input") await this.#writer.close().catch(() => {});
    else if (!this.#hasEnded) this.#child.kill(how);
    const { code } = await this.#child.status;
    await Promise.all([this.#reading, this.#errors]);
    if (how !== "input") await this.#writer.close().catch(() => {});
    return code;
  }

  async #read(): Promise<void> {
    let rest = "";
    const stream = this.#child.stdout.pipeThrough(new TextDecoderStream());
    for await (const text of stream) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = JSON.parse(line);
        this.#waiting.get(message.id)?.(
          message.result === undefined
            ? { kind: "surprise", text: line }
            : answerOf(message.result),
        );
      }
    }
    this.#hasEnded = true;
    for (const resolve of this.#waiting.values()) resolve(ENDED);
  }
}
