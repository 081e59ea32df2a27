/**
 * Vectors of texts, from a service that speaks OpenAI's `/v1/embeddings`:
 * OpenAI itself, Ollama, llama.cpp, vLLM, text-embeddings-inference and others.
 *
 * What comes back is believed only as far as it is usable: as many vectors as
 * texts, each number finite, none all zero, all of one size. Vectors leave here
 * with length 1.
 *
 * @module
 */
import { withoutSecret } from "../../client/secret.ts";
import { readBody } from "../../client/response_body.ts";
import { quote } from "../../errors.ts";

/** What a service is asked with. */
export interface EmbedderOptions {
  /** Its address: of the route, or of what `/v1/embeddings` stands below. */
  readonly url: string;
  /** Name of the model. */
  readonly model: string;
  /** The key that it opens with. */
  readonly apiKey?: string | undefined;
  /** Replaces the system's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** Asks a service for vectors. */
export interface Embedder {
  /** Name of the model, as it was configured. */
  readonly name: string;
  /**
   * The vectors of some texts, in their order, all of one size.
   *
   * @throws {EmbeddingError} whatever the service did
   */
  embed(
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]>;
}

/** Why there are no vectors. */
export class EmbeddingError extends Error {
  /** Always `EmbeddingError`. */
  override readonly name = "EmbeddingError";
  /**
   * `refused`: these texts, or the request as such, were refused; `busy`: the
   * service wants to be left alone for a while; `unusable`: the answer is none;
   * `unreachable`: there was no answer in time.
   */
  readonly kind: "refused" | "busy" | "unusable" | "unreachable";
  /** How long it wants to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  /** Takes the reason and what it came of. */
  constructor(
    kind: EmbeddingError["kind"],
    message: string,
    { cause, retryAfterMs }: {
      readonly cause?: unknown;
      readonly retryAfterMs?: number | undefined;
    } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Numbers of a vector at most: pgvector measures no more. */
export const MAX_DIMENSIONS = 16_000;
/** The largest answer that is read. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** The longest wish to be left alone that is followed. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;
const MAX_QUOTED = 200;
/** Statuses that tell of the texts or the request, and not of the service. */
const REFUSALS: readonly number[] = [400, 413, 422];
const BUSY: readonly number[] = [429, 503];

/** Builds what asks; sends nothing. */
export function createEmbedder(options: EmbedderOptions): Embedder {
  const { model, apiKey, fetch: send = fetch } = options;
  const url = embeddingsUrl(options.url);
  const headers: Record<string, string> = {
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  const ask = async (input: readonly string[], signal: AbortSignal) => {
    const response = await send(url, {
      method: "POST",
      headers,
      body: JSON.stringify({ model, input, encoding_format: "float" }),
      redirect: "error", // A key goes to nobody else.
      signal,
    });
    const { bytes, isCut } = await readBody(response.body, {
      maxBytes: MAX_ANSWER_BYTES,
      signal,
    });
    return { response, isCut, text: new TextDecoder().decode(bytes) };
  };
  return {
    name: model,
    async embed(texts, signal) {
      if (texts.length === 0) return [];
      const answer = await ask(texts, signal).catch((cause: unknown) => {
        throw new EmbeddingError(
          "unreachable",
          `The embedding service at ${url.origin} does not answer`,
          { cause },
        );
      });
      const { response: { ok, status, headers }, text, isCut } = answer;
      if (!ok) {
        throw new EmbeddingError(
          REFUSALS.includes(status)
            ? "refused"
            : BUSY.includes(status)
            ? "busy"
            : "unusable",
          `The embedding service answered ${status}: ${
            quote(withoutSecret(text, apiKey ?? ""), MAX_QUOTED)
          }`,
          { retryAfterMs: retryAfter(headers) },
        );
      }
      if (isCut) throw unusable("is larger than 64 MiB");
      return readVectors(text, texts.length);
    },
  };
}

/** The route, whichever part of its address was given. */
export function embeddingsUrl(text: string): URL {
  const url = new URL(text);
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/embeddings")) return url;
  const isVersioned = /\/v\d+$/.test(path);
  url.pathname = `${path}${isVersioned ? "" : "/v1"}/embeddings`;
  return url;
}

function readVectors(text: string, count: number): readonly Float32Array[] {
  const data = dataOf(text);
  if (data.length !== count) {
    throw unusable(`has ${data.length} vectors for ${count} texts`);
  }
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [place, one] of data.entries()) {
    const { index = place, embedding } = isRecord(one) ? one : {};
    if (
      typeof index !== "number" || !Number.isInteger(index) || index < 0 ||
      index >= count || vectors[index] !== undefined
    ) throw unusable(`names the text ${String(index).slice(0, 20)}`);
    vectors[index] = unitVector(embedding);
  }
  const all = vectors.filter((one) => one !== undefined);
  const [first] = all;
  if (all.some(({ length }) => length !== first?.length)) {
    throw unusable("has vectors of several sizes");
  }
  return all;
}

function dataOf(text: string): readonly unknown[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw unusable("is no JSON", cause);
  }
  const data = isRecord(answer) ? answer.data : undefined;
  if (!Array.isArray(data)) throw unusable("has no list `data`");
  return data;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function unitVector(value: unknown): Float32Array {
  if (!Array.isArray(value)) throw unusable("has an embedding that is no list");
  if (value.length === 0 || value.length > MAX_DIMENSIONS) {
    throw unusable(`has an embedding of ${value.length} numbers`);
  }
  let sum = 0;
  for (const number of value as readonly unknown[]) {
    if (typeof number !== "number" || !Number.isFinite(number)) {
      throw unusable("has an embedding with something that is no number");
    }
    sum += number * number;
  }
  const length = Math.sqrt(sum);
  if (!(length > 1e-12) || !Number.isFinite(length)) {
    throw unusable("has an embedding without a direction");
  }
  return Float32Array.from(value, (number: number) => number / length);
}

function unusable(what: string, cause?: unknown): EmbeddingError {
  return new EmbeddingError(
    "unusable",
    `The embedding service's answer ${what}`,
    { cause },
  );
}

/** `Retry-After`, in seconds or as a date. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text)
    ? Number(text) * 1_000
    : Date.parse(text) - Date.now();
  return ms >= 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}
