/**
 * The runner's side of the protocol: one method a call.
 *
 * @module
 */
import type {
  ArtifactAnswer,
  BeatAnswer,
  BeatRequest,
  EndAnswer,
  EndRequest,
  EventsAnswer,
  EventsRequest,
  HelloAnswer,
  HelloRequest,
  LeaseAnswer,
  LeaseRequest,
  ReleaseRequest,
  TurnOrders,
} from "../../fleet/turns/protocol.ts";

/** The lease is somebody else's, or over: nothing was changed. */
export class LeaseLostError extends Error {
  /** Always `LeaseLostError`. */
  override readonly name = "LeaseLostError";
}

/** The server refuses for good what was sent. */
export class ServerRefusalError extends Error {
  /** Always `ServerRefusalError`. */
  override readonly name = "ServerRefusalError";
  /** HTTP status. */
  readonly status: number;

  /** Takes the status and the server's words. */
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The server cannot be reached, or has no time: worth another try. */
export class ServerAwayError extends Error {
  /** Always `ServerAwayError`. */
  override readonly name = "ServerAwayError";
}

/** How to reach the server. */
export interface ClientOptions {
  /** Its address, without path. */
  readonly server: string;
  /** The runner's token; in no message. */
  readonly token: string;
  /** @default {fetch} */
  readonly fetch?: typeof fetch;
}

/** Limits of one call. */
export interface CallOptions {
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. @default {10000} */
  readonly limitMs?: number;
}

const CALL_LIMIT_MS = 10_000;
/** What a waiting call may take beyond its wait. */
const ANSWER_LIMIT_MS = 10_000;
const MAX_WORDS = 500;

/** Calls of a runner. Each rejects with one of the three errors above. */
export class ServerClient {
  readonly #options: ClientOptions;

  /** Opens nothing. */
  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** The runner comes up. */
  hello(request: HelloRequest, options?: CallOptions): Promise<HelloAnswer> {
    return this.#post("hello", request, options);
  }

  /** Asks for a turn; waits on the server. */
  lease(request: LeaseRequest, options?: CallOptions): Promise<LeaseAnswer> {
    const limitMs = (request.wait_ms ?? 0) + ANSWER_LIMIT_MS;
    return this.#post("lease", request, { limitMs, ...options });
  }

  /** A turn is worked on. */
  beat(
    turn: number,
    request: BeatRequest,
    options?: CallOptions,
  ): Promise<BeatAnswer> {
    return this.#post(`turns/${turn}/beat`, request, options);
  }

  /** What happened. */
  events(
    turn: number,
    request: EventsRequest,
    options?: CallOptions,
  ): Promise<EventsAnswer> {
    return this.#post(`turns/${turn}/events`, request, options);
  }

  /** A turn is over. */
  end(
    turn: number,
    request: EndRequest,
    options?: CallOptions,
  ): Promise<EndAnswer> {
    return this.#post(`turns/${turn}/end`, request, options);
  }

  /** A turn is given back. */
  release(
    turn: number,
    request: ReleaseRequest,
    options?: CallOptions,
  ): Promise<EndAnswer> {
    return this.#post(`turns/${turn}/release`, request, options);
  }

  /** Waits on the server for commands of a turn. */
  commands(
    turn: number,
    { leaseNo, waitMs }: { readonly leaseNo: number; readonly waitMs: number },
    options?: CallOptions,
  ): Promise<TurnOrders> {
    return this.#call(
      "GET",
      `turns/${turn}/commands?lease_no=${leaseNo}&wait_ms=${waitMs}`,
      undefined,
      { limitMs: waitMs + ANSWER_LIMIT_MS, ...options },
    );
  }

  /** A file that a turn was given. */
  artifact(sha256: string, options?: CallOptions): Promise<ArtifactAnswer> {
    return this.#call("GET", `artifacts/${sha256}`, undefined, options);
  }

  #post<T>(path: string, body: object, options?: CallOptions): Promise<T> {
    return this.#call("POST", path, JSON.stringify(body), options);
  }

  async #call<T>(
    method: "GET" | "POST",
    path: string,
    body: string | undefined,
    { signal, limitMs = CALL_LIMIT_MS }: CallOptions = {},
  ): Promise<T> {
    const { server, token } = this.#options;
    const timeout = AbortSignal.timeout(limitMs);
    let response: Response;
    let text: string;
    try {
      response = await (this.#options.fetch ?? fetch)(
        `${server}/api/v1/runner/${path}`,
        {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined
              ? {}
              : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body }),
          redirect: "error",
          signal: signal === undefined
            ? timeout
            : AbortSignal.any([signal, timeout]),
        },
      );
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      throw new ServerAwayError(`Cannot reach ${server}`, { cause: error });
    }
    return readAnswer(response.status, text, server);
  }
}

function readAnswer<T>(status: number, text: string, server: string): T {
  const value = parse(text);
  // The server of the same program answered by its own schema.
  if (status >= 200 && status < 300 && value !== undefined) return value as T;
  const { error, message } = value ?? {};
  const words = (typeof message === "string" ? message : text)
    .slice(0, MAX_WORDS).toWellFormed();
  if (status === 409 && error === "lease_lost") throw new LeaseLostError(words);
  if (
    status === 429 || status === 408 || status >= 500 || value === undefined
  ) {
    throw new ServerAwayError(`${server} answered ${status}: ${words}`);
  }
  throw new ServerRefusalError(status, words);
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
