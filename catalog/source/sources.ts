/**
 * Reads the text of one document from a file or an http(s) URL.
 *
 * Never throws: every failure is a reason for people. A reason holds no part of
 * a URL, because a URL may hold credentials. Size and time are bounded, and so
 * are redirects.
 *
 * @module
 */

import type { Location } from "./location.ts";

/** Most bytes of one document. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
/** Most time for one document, redirects and body included. */
export const FETCH_TIMEOUT_MS = 15_000;
/** Most redirects followed for one document. */
export const MAX_REDIRECTS = 5;

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([
  301,
  302,
  303,
  307,
  308,
]);

/** What a server said about a text, to ask for it again conditionally. */
export interface Validators {
  /** Value of `ETag`. */
  readonly etag?: string;
  /** Value of `Last-Modified`. */
  readonly lastModified?: string;
}

/** Result of reading one document. */
export type SourceReading =
  | {
    readonly kind: "content";
    readonly text: string;
    readonly validators: Validators;
  }
  | { readonly kind: "unchanged" }
  | {
    readonly kind: "failed";
    readonly reason: string;
    readonly isMissing?: boolean;
  };

/** What reading needs beside the location. */
export interface SourceOptions {
  /** Replaces `fetch`. */
  readonly fetch: typeof fetch;
  /** Ends the reading early. */
  readonly signal: AbortSignal;
  /** What is known of an earlier text. */
  readonly validators?: Validators;
  /** @default {FETCH_TIMEOUT_MS} */
  readonly timeoutMs?: number;
  /** @default {MAX_DOCUMENT_BYTES} */
  readonly maxBytes?: number;
}

/** Reads a file or URL. */
export function readSource(
  location: Exclude<Location, { kind: "example" }>,
  options: SourceOptions,
): Promise<SourceReading> {
  return location.kind === "file"
    ? readFile(location.path, options.maxBytes ?? MAX_DOCUMENT_BYTES)
    : readRemote(location.url, options);
}

async function readFile(
  path: string,
  maxBytes: number,
): Promise<SourceReading> {
  try {
    const info = await Deno.stat(path);
    if (info.isDirectory) {
      return failed("It is a folder; name the air.json or roots.json in it");
    }
    if (!info.isFile) return failed("It is not a regular file");
    if (info.size > maxBytes) return failed(tooLarge(maxBytes));
    using file = await Deno.open(path);
    return await readBody(file.readable, maxBytes);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      return { ...failed("The file does not exist"), isMissing: true };
    }
    if (
      error instanceof Deno.errors.PermissionDenied ||
      error instanceof Deno.errors.NotCapable
    ) {
      return failed("The file may not be read by this process");
    }
    if (error instanceof Deno.errors.NotADirectory) {
      return failed("A part of its path is not a folder");
    }
    return failed("The file could not be read");
  }
}

async function readRemote(
  url: URL,
  options: SourceOptions,
): Promise<SourceReading> {
  const { timeoutMs = FETCH_TIMEOUT_MS } = options;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  try {
    return await follow(url, {
      ...options,
      signal: AbortSignal.any([limit.signal, options.signal]),
    });
  } catch (error) {
    if (options.signal.aborted) return failed("Reading was stopped");
    if (limit.signal.aborted) {
      return failed(`No full answer within ${timeoutMs / 1_000} seconds`);
    }
    return failed(describeNetworkError(error));
  } finally {
    clearTimeout(timer);
  }
}

async function follow(
  start: URL,
  options: SourceOptions,
): Promise<SourceReading> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await options.fetch(withoutSecrets(url), {
      headers: requestHeaders(url, start, options.validators),
      redirect: "manual",
      signal: options.signal,
    });
    if (!REDIRECT_STATUSES.has(response.status)) {
      return await readResponse(response, options);
    }
    await response.body?.cancel();
    const next = URL.parse(response.headers.get("location") ?? "", url);
    if (next === null || !response.headers.has("location")) {
      return failed("The server redirects without a usable address");
    }
    if (next.protocol !== "https:" && next.protocol !== start.protocol) {
      return failed("The server redirects to an address that is not secure");
    }
    url = next;
  }
  return failed(`The server redirects more than ${MAX_REDIRECTS} times`);
}

async function readResponse(
  response: Response,
  { validators = {}, maxBytes = MAX_DOCUMENT_BYTES }: SourceOptions,
): Promise<SourceReading> {
  const { status, headers } = response;
  const isConditional = validators.etag !== undefined ||
    validators.lastModified !== undefined;
  if (status === 304 && isConditional) {
    await response.body?.cancel();
    return { kind: "unchanged" };
  }
  if (status !== 200) {
    await response.body?.cancel();
    return failed(describeStatus(status));
  }
  if (Number(headers.get("content-length") ?? 0) > maxBytes) {
    await response.body?.cancel();
    return failed(tooLarge(maxBytes));
  }
  const reading = await readBody(response.body ?? undefined, maxBytes);
  if (reading.kind !== "content") return reading;
  const etag = headers.get("etag");
  const lastModified = headers.get("last-modified");
  return {
    ...reading,
    validators: {
      ...(etag === null ? {} : { etag }),
      ...(lastModified === null ? {} : { lastModified }),
    },
  };
}

/** Collects a body up to a size; leaving the loop early cancels the stream. */
async function readBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | undefined,
  maxBytes: number,
): Promise<SourceReading> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return failed(tooLarge(maxBytes));
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { kind: "content", text, validators: {} };
  } catch {
    return failed("It is not UTF-8 text");
  }
}

/** Credentials of the first address go to its own origin only. */
function requestHeaders(
  url: URL,
  start: URL,
  validators: Validators = {},
): Headers {
  const headers = new Headers({ accept: "application/json, text/plain" });
  if (validators.etag !== undefined) {
    headers.set("if-none-match", validators.etag);
  }
  if (validators.lastModified !== undefined) {
    headers.set("if-modified-since", validators.lastModified);
  }
  if (url.origin === start.origin && (start.username || start.password)) {
    const pair = `${decode(start.username)}:${decode(start.password)}`;
    const bytes = new TextEncoder().encode(pair);
    headers.set("authorization", `Basic ${bytes.toBase64()}`);
  }
  return headers;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withoutSecrets(url: URL): URL {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  bare.hash = "";
  return bare;
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) {
    return `The server answered ${status}: it wants other credentials`;
  }
  if (status === 404 || status === 410) {
    return `The server answered ${status}: there is nothing at this address`;
  }
  return `The server answered ${status}`;
}

/** The engine's own text quotes the URL, so only its kind is passed on. */
function describeNetworkError(error: unknown): string {
  const text = messagesOf(error);
  if (/refused/i.test(text)) return "The server refused the connection";
  if (/dns|lookup|resolve/i.test(text)) {
    return "The name of the server is not known";
  }
  if (/certificate|tls|ssl/i.test(text)) {
    return "The secure connection failed; check the certificate";
  }
  if (error instanceof Deno.errors.NotCapable) {
    return "This process may not use the network";
  }
  return "The connection failed";
}

/** Messages of an error and of what caused it. */
function messagesOf(error: unknown): string {
  const messages: string[] = [];
  for (let next = error; next instanceof Error; next = next.cause) {
    messages.push(next.message);
    if (messages.length > 5) break;
  }
  return messages.join("\n");
}

function tooLarge(maxBytes: number): string {
  return `It is larger than ${maxBytes} bytes, the most that is read`;
}

function failed(reason: string): { kind: "failed"; reason: string } {
  return { kind: "failed", reason };
}
