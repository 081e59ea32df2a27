/**
 * One JSON-RPC message in, one JSON answer out: the transport of a legacy
 * (before 2026-07-28) HTTP request.
 *
 * The SDK's own transport answers 406 to clients that accept only JSON, and
 * may answer with a stream. Nothing here streams, so every client is served.
 *
 * @module
 */
import type {
  JSONRPCMessage,
  Server,
  Transport,
} from "@modelcontextprotocol/server";

/** A transport that lives for one exchange. */
class Exchange implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly answer: Promise<JSONRPCMessage>;
  readonly #resolve: (message: JSONRPCMessage) => void;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<JSONRPCMessage>();
    this.answer = promise;
    this.#resolve = resolve;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    // Progress and log messages have no place in a single JSON answer.
    if ("result" in message || "error" in message) this.#resolve(message);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }
}

/**
 * Hands one message to a fresh server. Resolves with its answer, or with
 * undefined for a notification, which has none.
 */
export async function exchange(
  server: Server,
  message: JSONRPCMessage,
): Promise<JSONRPCMessage | undefined> {
  const transport = new Exchange();
  await server.connect(transport);
  // Nothing else refers to the server, and closing it would build an error for
  // each of the requests that it does not have.
  transport.onmessage?.(message);
  if (!("method" in message) || !("id" in message)) return undefined;
  return await transport.answer;
}
