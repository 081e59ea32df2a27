/**
 * One end of a JSON-RPC connection over lines, as the Agent Client Protocol has
 * it: requests, notifications and answers both ways.
 *
 * Objects are handed on as they came: kinds of updates that nobody knows yet
 * must not get lost. Lines that are no JSON are told, and nothing else.
 *
 * @module
 */

/** An error that the other end answered with. */
export class RpcError extends Error {
  /** Always `RpcError`. */
  override readonly name = "RpcError";
  /** Its number. */
  readonly code: number;
  /** What else it says. */
  readonly data: unknown;

  /** Takes what came. */
  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The other end is gone; nothing will be answered any more. */
export class PeerClosedError extends Error {
  /** Always `PeerClosedError`. */
  override readonly name = "PeerClosedError";
}

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** What a peer is built from. */
export interface PeerOptions {
  /** Writes one line. */
  readonly write: (line: string) => Promise<void>;
  /** Answers a request; what it throws as `RpcError` is the answer. */
  readonly onRequest: (method: string, params: Json) => Promise<unknown>;
  /** Hears a notification. */
  readonly onNotification: (method: string, params: Json) => void;
  /** Hears of a line that is no message. */
  readonly onNoise: (line: string) => void;
}

const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

/** The answer to a request that nobody knows. */
export function methodNotFound(method: string): RpcError {
  return new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`, null);
}

interface Waiting {
  readonly resolve: (value: Json) => void;
  readonly reject: (error: Error) => void;
}

/** Our end. */
export class Peer {
  readonly #options: PeerOptions;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #closed: PeerClosedError | undefined;

  /** Sends nothing yet. */
  constructor(options: PeerOptions) {
    this.#options = options;
  }

  /** Asks, and waits for the answer. @throws {RpcError | PeerClosedError} */
  async request(method: string, params: Json): Promise<Json> {
    if (this.#closed !== undefined) throw this.#closed;
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    this.#waiting.set(id, { resolve, reject });
    await this.#send({ id, method, params });
    return await promise;
  }

  /** Tells. What does not arrive is not an error. */
  async notify(method: string, params: Json): Promise<void> {
    await this.#send({ method, params });
  }

  /** Takes a line that came. */
  take(line: string): void {
    if (line.trim() === "") return;
    const message = parse(line);
    if (message === undefined) return this.#options.onNoise(line);
    const { id, method } = message;
    const params = isJson(message.params) ? message.params : {};
    if (typeof method !== "string") return this.#settle(message);
    if (id === undefined || id === null) {
      return this.#options.onNotification(method, params);
    }
    void this.#answer(id, method, params);
  }

  /** The other end is gone: whoever waits is told. */
  close(reason: string): void {
    this.#closed ??= new PeerClosedError(reason);
    for (const { reject } of this.#waiting.values()) reject(this.#closed);
    this.#waiting.clear();
  }

  #settle({ id, result, error }: Json): void {
    const waiting = this.#waiting.get(Number(id));
    this.#waiting.delete(Number(id));
    if (waiting === undefined) return;
    if (!isJson(error)) {
      waiting.resolve(isJson(result) ? result : {});
      return;
    }
    const { code, message, data } = error;
    waiting.reject(
      new RpcError(Number(code), String(message ?? "No words"), data),
    );
  }

  async #answer(id: unknown, method: string, params: Json): Promise<void> {
    try {
      const result = await this.#options.onRequest(method, params);
      await this.#send({ id, result: result ?? null });
    } catch (error) {
      const { code, message } = error instanceof RpcError
        ? error
        : { code: INTERNAL_ERROR, message: "It could not be answered" };
      await this.#send({ id, error: { code, message } });
    }
  }

  async #send(message: Json): Promise<void> {
    const line = JSON.stringify({ jsonrpc: "2.0", ...message });
    // An agent that does not read any more is about to be seen as gone.
    await this.#options.write(`${line}\n`).catch(() => {});
  }
}

/** Whether a value is a JSON object. */
export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object below a path of names; empty where there is none. */
export function jsonAt(value: unknown, ...names: readonly string[]): Json {
  let at = value;
  for (const name of names) at = isJson(at) ? at[name] : undefined;
  return isJson(at) ? at : {};
}

function parse(line: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
