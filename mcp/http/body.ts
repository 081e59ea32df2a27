/**
 * Reads the body of a request: bounded in bytes, time and depth, then parsed.
 *
 * @module
 */
import { TimeLimitError, withTimeLimit } from "../time_limit.ts";
import { joinChunks } from "./bytes.ts";

/** Most bytes of a request's body. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** How long a body may take to arrive, in milliseconds. */
export const MAX_BODY_MS = 30_000;
/** Deepest nesting of a message. */
export const MAX_MESSAGE_DEPTH = 64;

/** What came of reading a body. */
export type BodyReading =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "too_large" }
  | { readonly kind: "too_slow" }
  | { readonly kind: "too_deep" }
  | { readonly kind: "empty" }
  | { readonly kind: "malformed" };

/** Bounds of a body. */
export interface BodyLimits {
  /** Most bytes. */
  readonly bytes: number;
  /** How long it may take to arrive, in milliseconds. */
  readonly ms: number;
}

/** The bytes of a body, or why it was not read to its end. */
export type BytesReading =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "too_large" }
  | { readonly kind: "too_slow" }
  | { readonly kind: "malformed" };

/**
 * Reads and parses a body that arrives within `limitMs`. Never rejects for what
 * a client sent.
 */
export async function readBody(
  request: Request,
  limitMs: number,
): Promise<BodyReading> {
  const limits = { bytes: MAX_BODY_BYTES, ms: limitMs };
  const reading = await readBytes(request, limits);
  if (reading.kind !== "bytes") return reading;
  const { bytes } = reading;
  if (bytes.length === 0) return { kind: "empty" };
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { kind: "malformed" };
  }
  return parseMessage(text);
}

/** Reads a body. Never rejects for what a client sent. */
export async function readBytes(
  request: Request,
  limits: BodyLimits,
): Promise<BytesReading> {
  const declared = Number(request.headers.get("content-length") ?? NaN);
  if (declared > limits.bytes) return { kind: "too_large" };
  // HTTP holds a body to its declared length, and reading it whole costs a
  // quarter of reading its stream.
  const isBounded = declared >= 0 && !request.headers.has("transfer-encoding");
  try {
    const bytes = await withTimeLimit(
      limits.ms,
      () => isBounded ? request.bytes() : readUpTo(request.body, limits.bytes),
    );
    return bytes === undefined
      ? { kind: "too_large" }
      : { kind: "bytes", bytes };
  } catch (error) {
    // The server ends the connection of a body that it answers too early.
    return error instanceof TimeLimitError
      ? { kind: "too_slow" }
      : { kind: "malformed" }; // The client went away in the middle.
  }
}

/** Parses one message, refusing what is nested too deep before parsing it. */
export function parseMessage(text: string): BodyReading {
  if (isDeeperThan(text, MAX_MESSAGE_DEPTH)) return { kind: "too_deep" };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    return { kind: "malformed" };
  }
}

async function readUpTo(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) return undefined; // Leaving the loop cancels the body.
    chunks.push(chunk);
  }
  return joinChunks(chunks, length);
}

/** Whether brackets outside of strings nest deeper than `limit`. */
function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === 0x5c /* \ */) at++;
      else if (code === 0x22 /* " */) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
      if (++depth > limit) return true;
    } else if (code === 0x7d /* } */ || code === 0x5d /* ] */) depth--;
  }
  return false;
}
