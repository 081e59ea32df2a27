/**
 * One request to CortexDB: address, headers, time limit, size limit, tries, and
 * what came of it. Both wires go through `send` and through nothing else.
 *
 * A try ends in a result, in a fault that the retry table judges, or in a
 * `CortexProtocolError`. Every body is read or cancelled. Redirects are not
 * followed: the credential is for one origin.
 *
 * @module
 */

import type { ActorSource } from "./actor.ts";
import { AnswerPart } from "./answer_part.ts";
import type { ApiPath } from "./api_path.ts";
import { checkClientOptions, isHeaderToken } from "./client_options.ts";
import type { CallOptions, ClientOptions, Clock } from "./client_types.ts";
import { CortexProtocolError, CortexRefusalError } from "../errors.ts";
import { type Failure, mayHaveActed, toCallError } from "./failure.ts";
import { readBadAnswer } from "./refusal.ts";
import { pause } from "../pause.ts";
import { abortable, readBody } from "./response_body.ts";
import { type Effect, retryDelay } from "./retry.ts";
import { faultWithoutSecret } from "./secret.ts";

const REQUEST_TIMEOUT_MS = 60_000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

/** What to send. */
export interface ApiRequest {
  /** What it is for, as a message says it: "list events". */
  readonly operation: string;
  /** The method. */
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path below the endpoint. */
  readonly path: ApiPath;
  /** What sending it twice would do. */
  readonly effect: Effect;
  /** The body, sent as JSON. */
  readonly body?: unknown;
  /** Headers of this request alone, the same on every try. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** False for a request that itself asks who the actor is, or needs none. */
  readonly hasActor?: boolean | undefined;
  /** Whether a 404 to a repeat means that an earlier try did it. */
  readonly isDoneWhenGone?: boolean | undefined;
  /** The most tries, below what the table allows. */
  readonly maxAttempts?: number | undefined;
}

/** What a try came to. */
type Outcome = { readonly kind: "answer"; readonly body: unknown } | Failure;

/** The system's own time. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  async sleep(ms, signal) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    try {
      await abortable(promise, signal);
    } finally {
      clearTimeout(timer);
    }
  },
};

/** Sends requests to one CortexDB with one credential. */
export class CortexChannel {
  readonly #base: URL;
  readonly #credential: ClientOptions["credential"];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #maxBodyBytes: number;
  readonly #maxErrorBytes: number;
  readonly #fetch: typeof fetch;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #actor: ActorSource | undefined;
  /** A 429 holds every request of this client until then. */
  #heldUntil = -Infinity;

  /**
   * Checks the options.
   *
   * @throws {CortexConfigError} with every option that is wrong
   */
  constructor(options: ClientOptions, actor?: ActorSource) {
    const { limits = {} } = options;
    this.#base = checkClientOptions(options);
    this.#credential = options.credential;
    this.#headers = { ...options.headers };
    this.#timeoutMs = limits.timeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#maxBodyBytes = limits.maxBodyBytes ?? MAX_BODY_BYTES;
    this.#maxErrorBytes = limits.maxErrorBytes ?? MAX_ERROR_BYTES;
    this.#fetch = options.fetch ?? fetch;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#random = options.random ?? Math.random;
    this.#actor = actor;
  }

  /**
   * Sends a request, again where the retry table says so, and reads its answer.
   * `decode` also hears whether an earlier try may have acted.
   *
   * @throws {CortexRefusalError} when the answer is no
   * @throws {CortexUnavailableError} when no usable answer came
   * @throws {CortexProtocolError} when the answer makes no sense
   */
  async send<T>(
    request: ApiRequest,
    decode: (answer: AnswerPart, mayHaveActed: boolean) => T,
    options: CallOptions = {},
  ): Promise<T> {
    const { signal } = options;
    const { effect } = request;
    let isOutcomeUnknown = false;
    for (let attempt = 1;; attempt++) {
      await this.#waitWhileHeld(signal);
      const actor = request.hasActor === false
        ? undefined
        : await this.#actor?.current(signal);
      const secret = await this.#secret(request, signal);
      const outcome = await this.#try(request, { actor, secret, ...options });
      if (outcome.kind === "answer") {
        const part = new AnswerPart(request.operation, outcome.body);
        return decode(part, isOutcomeUnknown);
      }
      this.#learn(outcome);
      if (request.isDoneWhenGone === true && attempt > 1 && isGone(outcome)) {
        const part = new AnswerPart(request.operation, undefined);
        return decode(part, isOutcomeUnknown);
      }
      const failed = outcome.kind === "bad"
        ? outcome.answer
        : { status: undefined };
      const { maxAttempts = request.maxAttempts } = options;
      const random = this.#random;
      const delay = retryDelay(failed, {
        effect,
        attempt,
        maxAttempts,
        random,
      });
      isOutcomeUnknown ||= effect !== "read" && mayHaveActed(outcome);
      if (delay === undefined) {
        throw toCallError(outcome, {
          operation: request.operation,
          attempts: attempt,
          secret,
          isOutcomeUnknown,
        });
      }
      await this.#clock.sleep(delay, signal);
    }
  }

  /** Several calls may wait here; one that wakes into a new hold waits on. */
  async #waitWhileHeld(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    for (;;) {
      const left = this.#heldUntil - this.#clock.now();
      if (left <= 0) return;
      await this.#clock.sleep(left, signal);
    }
  }

  #learn(outcome: Failure): void {
    if (outcome.kind === "none") return;
    const { status, retryAfterMs = 0 } = outcome.answer;
    if (status === 401 || status === 403) this.#actor?.forget();
    if (status !== 429) return;
    const until = this.#clock.now() + retryAfterMs;
    this.#heldUntil = Math.max(this.#heldUntil, until);
  }

  async #secret(
    { operation }: ApiRequest,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    if (typeof this.#credential !== "function") return this.#credential ?? "";
    const source = this.#credential;
    const secret = await abortable((async () => await source())(), signal);
    if (isHeaderToken(secret)) return secret;
    throw new CortexRefusalError(
      `Cannot ${operation}: no usable credential was given for it`,
      { reason: "unauthorized" },
    );
  }

  async #try(
    request: ApiRequest,
    options: CallOptions & { actor: string | undefined; secret: string },
  ): Promise<Outcome> {
    const { actor, secret, signal: caller, timeoutMs } = options;
    const limit = AbortSignal.timeout(timeoutMs ?? this.#timeoutMs);
    const signal = caller === undefined
      ? limit
      : AbortSignal.any([caller, limit]);
    try {
      await pause();
      const response = await abortable(
        this.#fetch(new URL(request.path, this.#base), {
          method: request.method,
          headers: this.#requestHeaders(request, actor, secret),
          body: request.body === undefined
            ? null
            : JSON.stringify(request.body),
          redirect: "manual",
          signal,
        }),
        signal,
        (late) => void late.body?.cancel().catch(() => {}),
      );
      return await this.#read(request, response, { secret, signal });
    } catch (error) {
      if (error instanceof CortexProtocolError) throw error;
      caller?.throwIfAborted();
      return { kind: "none", cause: faultWithoutSecret(error, secret) };
    }
  }

  #requestHeaders(
    request: ApiRequest,
    actor: string | undefined,
    secret: string,
  ): Headers {
    const headers = new Headers({
      ...this.#headers,
      ...request.headers,
      accept: "application/json",
    });
    if (request.body !== undefined) {
      headers.set("content-type", "application/json");
    }
    if (secret !== "") headers.set("authorization", `Bearer ${secret}`);
    if (actor !== undefined) headers.set("x-cortex-actor", actor);
    return headers;
  }

  async #read(
    { operation }: ApiRequest,
    response: Response,
    { secret, signal }: { secret: string; signal: AbortSignal },
  ): Promise<Outcome> {
    const maxBytes = response.ok ? this.#maxBodyBytes : this.#maxErrorBytes;
    const { body } = response;
    const { bytes, isCut } = await readBody(body, { maxBytes, signal });
    const fault = (problem: string, cause?: unknown): CortexProtocolError =>
      new CortexProtocolError(
        { operation, path: "$", problem },
        cause === undefined ? {} : { cause },
      );
    if (response.status >= 300 && response.status < 400) {
      throw fault(`is a redirect (${response.status}), which is not followed`);
    }
    if (!response.ok) {
      return { kind: "bad", answer: readBadAnswer(response, bytes) };
    }
    if (isCut) {
      const problem = `is over ${maxBytes} bytes`;
      const large = { operation, path: "$", problem, isTooLarge: true };
      throw new CortexProtocolError(large);
    }
    if (bytes.length === 0) return { kind: "answer", body: undefined };
    await pause();
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      return { kind: "answer", body: JSON.parse(text) };
    } catch (error) {
      throw fault("is no JSON", faultWithoutSecret(error, secret));
    }
  }
}

function isGone(failure: Failure): boolean {
  return failure.kind === "bad" && failure.answer.status === 404;
}
