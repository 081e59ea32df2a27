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
  answerDirectly,
  claimsRevision,
  type DirectCall,
  readDirectCall,
} from "./direct_call.ts";
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
import { toJsonLine } from "../json_line.ts";
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
  const transport = new StdioTransport(
    streams,
    (call, signal) => answerDirectly(call, services, connection, signal),
  );
  const handle = serveStdio(() => createServer(services, connection), {
    transport,
    onerror: (error) => services.log.debug("mcp_refused", { error }),
  });
  await transport.ended;
  await handle.close();
}

/** Answers a call without the SDK; undefined leaves it to that. */
type DirectAnswer = (
  call: DirectCall,
  signal: AbortSignal,
) => Promise<JSONRPCMessage | undefined>;

class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly ended: Promise<void>;
  readonly #end: () => void;
  readonly #streams: StdioStreams;
  readonly #encoder = new TextEncoder();
  /** How many requests of an id were handed on and have no answer yet. */
  readonly #open = new Map<string | number, number>();
  #answered: (() => void) | undefined;
  /** The era of the connection, once a request of it was answered. */
  #era: "legacy" | "modern" | undefined;
  /** Until then: the eras of requests that wait for their answer. */
  readonly #opening = new Map<string | number, "legacy" | "modern">();
  readonly #answer: DirectAnswer;
  /** What stops the calls that are answered without the SDK. */
  readonly #calls = new Map<string | number, AbortController>();
  #writing: Promise<void> = Promise.resolve();

  constructor(streams: StdioStreams, answer: DirectAnswer) {
    this.#streams = streams;
    this.#answer = answer;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
  }

  start(): Promise<void> {
    this.#read().catch((error) => this.onerror?.(error)).finally(this.#end);
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#noteEra(message);
    this.#writing = this.#writing.then(() => this.#write(message));
    return this.#writing;
  }

  close(): Promise<void> {
    for (const call of this.#calls.values()) call.abort();
    this.#end();
    this.onclose?.();
    return Promise.resolve();
  }

  async #write(message: object): Promise<void> {
    try {
      await this.#streams.write(
        this.#encoder.encode(`${toJsonLine(message)}\n`),
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

  #deliver(line: Line): void {
    if (line === "too_long") {
      return this.#refuse(INVALID_REQUEST, "The message is larger than 32 MiB");
    }
    if (line === "not_utf8") {
      return this.#refuse(PARSE_ERROR, "The line is not valid JSON in UTF-8");
    }
    const text = line.text.trim();
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
    const call = this.#era === undefined
      ? undefined
      : readDirectCall(reading.value);
    const isOfEra = (call?.revision === undefined) === (this.#era === "legacy");
    if (call !== undefined && isOfEra) this.#call(call, reading.value);
    else this.#handOn(reading.value);
  }

  /** Answers a call, or leaves it to the SDK. */
  async #call(call: DirectCall, value: unknown): Promise<void> {
    const { id } = call;
    const controller = new AbortController();
    this.#calls.set(id, controller);
    this.#begin(id);
    const message = await this.#answer(call, controller.signal);
    if (this.#calls.get(id) === controller) this.#calls.delete(id);
    if (controller.signal.aborted) return; // Settled as it was cancelled.
    if (message !== undefined) return await this.send(message);
    this.#handOn(value);
    this.#settle(id);
  }

  /** Hands a message to the SDK, or refuses it. */
  #handOn(value: unknown): void {
    const parsed = readMessage(value);
    if (!parsed.ok) {
      return this.#refuse(INVALID_REQUEST, parsed.fault, parsed.id);
    }
    const { message } = parsed;
    const id = "method" in message ? idOf(message) : undefined;
    if ("method" in message && message.method === LISTEN_METHOD) {
      return this.#refuse(METHOD_NOT_FOUND, "Method not found", id);
    }
    if (id === undefined) this.#settleCancelled(message);
    else {
      this.#begin(id);
      this.#expectEra(id, message);
    }
    this.onmessage?.(message);
  }

  #begin(id: string | number): void {
    this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
  }

  /** A discovery decides nothing: a legacy handshake may follow it. */
  #expectEra(id: string | number, message: JSONRPCMessage): void {
    if (this.#era !== undefined) return;
    if ("method" in message && message.method === "server/discover") return;
    this.#opening.set(id, claimsRevision(message) ? "modern" : "legacy");
  }

  #noteEra(message: JSONRPCMessage): void {
    if (this.#era !== undefined) return;
    const id = idOf(message);
    if (id === undefined || "method" in message) return;
    if ("result" in message) this.#era = this.#opening.get(id);
    this.#opening.delete(id);
    if (this.#era !== undefined) this.#opening.clear();
  }

  /** A cancelled request gets no answer, so the end must not wait for one. */
  #settleCancelled(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if (message.method !== "notifications/cancelled") return;
    const id = idOf({ id: message.params?.requestId });
    if (id === undefined) return;
    this.#calls.get(id)?.abort();
    this.#settle(id);
  }

  #refuse(code: number, text: string, id?: string | number): void {
    this.#writing = this.#writing.then(() =>
      this.#write(rpcError(code, text, id))
    );
  }
}

/** A line, or why it is none. */
type Line = { readonly text: string } | "too_long" | "not_utf8";

/**
 * Splits chunks into lines without the line end; one that is longer than the
 * limit is skipped. A last line without an end counts.
 */
class LineSplitter {
  readonly #deliver: (line: Line) => void;
  // Drops a byte order mark. What is no UTF-8 is refused: replaced by one
  // character each, two keys would become the same.
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(deliver: (line: Line) => void) {
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

  #read(bytes: Uint8Array): Line {
    try {
      return { text: this.#decoder.decode(bytes) };
    } catch {
      return "not_utf8";
    }
  }

  #take(): void {
    const isWhole = this.#length <= MAX_LINE_BYTES;
    const bytes = isWhole ? joinChunks(this.#parts, this.#length) : undefined;
    this.#parts = [];
    this.#length = 0;
    this.#deliver(bytes === undefined ? "too_long" : this.#read(bytes));
  }
}
