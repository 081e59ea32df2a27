/**
 * MCP over stdin and stdout.
 *
 * Framing is linear in the input, unlike the SDK's own transport, and every
 * line is answered: a malformed one with an error, so that no client waits for
 * its time limit. At the end of the input, answers under way are still sent.
 *
 * @module
 */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { parseMessage } from "../http/body.ts";
import { joinChunks } from "../http/bytes.ts";
import type { Connection } from "../caller/connection.ts";
import {
  idOf,
  INVALID_REQUEST,
  LISTEN_METHOD,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  readMessage,
  rpcError,
} from "./rpc.ts";
import { createServer } from "./server.ts";
import type { Services } from "../services.ts";

/** Longest line that is read, in bytes. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** How long answers under way may take after the end of the input. */
const DRAIN_LIMIT_MS = 10_000;
const NEWLINE = 0x0a;

/** The two streams of a connection. */
export interface StdioStreams {
  /**
   * What the client sends. A chunk is used up before the next one is asked
   * for, so its memory may be used again.
   */
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes bytes to the client, all of them. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Serves one client; resolves when its input has ended and is answered. */
export async function runStdio(
  services: Services,
  connection: Connection,
  streams: StdioStreams,
): Promise<void> {
  if (connection.unknownGroups.length > 0) {
    services.log.warn("unknown_tool_groups", {
      names: connection.unknownGroups.join(","),
    });
  }
  const transport = new StdioTransport(streams);
  const handle = serveStdio(() => createServer(services, connection), {
    transport,
    onerror: (error) => services.log.debug("mcp_refused", { error }),
  });
  await transport.ended;
  await handle.close();
}

class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly ended: Promise<void>;
  readonly #end: () => void;
  readonly #streams: StdioStreams;
  /** How many requests of an id were handed on and have no answer yet. */
  readonly #open = new Map<string | number, number>();
  #answered: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(streams: StdioStreams) {
    this.#streams = streams;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
  }

  start(): Promise<void> {
    this.#read().catch((error) => this.onerror?.(error)).finally(this.#end);
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write(message));
    return this.#writing;
  }

  close(): Promise<void> {
    this.#end();
    this.onclose?.();
    return Promise.resolve();
  }

  async #write(message: object): Promise<void> {
    try {
      await this.#streams.write(
        new TextEncoder().encode(`${JSON.stringify(message)}\n`),
      );
    } catch {
      this.#end(); // The client closed its end: there is no one to answer.
    }
    if ("method" in message) return;
    const id = idOf(message);
    if (id !== undefined) this.#settle(id);
  }

  #settle(id: string | number): void {
    const count = this.#open.get(id) ?? 0;
    if (count > 1) this.#open.set(id, count - 1);
    else this.#open.delete(id);
    if (this.#open.size === 0) this.#answered?.();
  }

  async #read(): Promise<void> {
    const lines = new LineSplitter((line) => this.#deliver(line));
    for await (const chunk of this.#streams.input) lines.add(chunk);
    lines.end();
    if (this.#open.size === 0) return await this.#writing;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#answered = resolve;
    const timer = setTimeout(resolve, DRAIN_LIMIT_MS);
    await promise;
    clearTimeout(timer);
  }

  #deliver(line: string | undefined): void {
    if (line === undefined) {
      return this.#refuse(INVALID_REQUEST, "The message is larger than 32 MiB");
    }
    const text = line.trim();
    if (text === "") return;
    const reading = parseMessage(text);
    if (reading.kind === "too_deep") {
      return this.#refuse(
        INVALID_REQUEST,
        "The message is nested deeper than 64 levels",
      );
    }
    if (reading.kind !== "json") {
      return this.#refuse(PARSE_ERROR, "The line is not valid JSON in UTF-8");
    }
    const parsed = readMessage(reading.value);
    if (!parsed.ok) {
      return this.#refuse(INVALID_REQUEST, parsed.fault, parsed.id);
    }
    const { message } = parsed;
    const id = "method" in message ? idOf(message) : undefined;
    if ("method" in message && message.method === LISTEN_METHOD) {
      return this.#refuse(METHOD_NOT_FOUND, "Method not found", id);
    }
    if (id !== undefined) this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
    else this.#settleCancelled(message);
    this.onmessage?.(message);
  }

  /** A cancelled request gets no answer, so the end must not wait for one. */
  #settleCancelled(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if (message.method !== "notifications/cancelled") return;
    const id = idOf({ id: message.params?.requestId });
    if (id !== undefined) this.#settle(id);
  }

  #refuse(code: number, text: string, id?: string | number): void {
    this.#writing = this.#writing.then(() =>
      this.#write(rpcError(code, text, id))
    );
  }
}

/**
 * Splits chunks into lines without the line end. Undefined stands for a line
 * that was longer than the limit and was skipped. A last line without an end
 * counts.
 */
class LineSplitter {
  readonly #deliver: (line: string | undefined) => void;
  readonly #decoder = new TextDecoder("utf-8"); // Drops a byte order mark.
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(deliver: (line: string | undefined) => void) {
    this.#deliver = deliver;
  }

  /** Takes a chunk; keeps none of its memory. */
  add(chunk: Uint8Array): void {
    let from = 0;
    for (
      let at = chunk.indexOf(NEWLINE);
      at >= 0;
      at = chunk.indexOf(NEWLINE, from)
    ) {
      this.#keep(chunk.subarray(from, at));
      this.#take();
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.slice(from));
  }

  /** The input has ended. */
  end(): void {
    if (this.#length > 0) this.#take();
  }

  #keep(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length <= MAX_LINE_BYTES) this.#parts.push(part);
    else this.#parts = [];
  }

  #take(): void {
    const isWhole = this.#length <= MAX_LINE_BYTES;
    const bytes = isWhole ? joinChunks(this.#parts, this.#length) : undefined;
    this.#parts = [];
    this.#length = 0;
    this.#deliver(bytes && this.#decoder.decode(bytes));
  }
}
