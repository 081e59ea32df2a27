/**
 * Reads the body of a request: bounded in bytes and in depth, then parsed.
 *
 * @module
 */
import { joinChunks } from "./bytes.ts";

/** Most bytes of a request's body. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Deepest nesting of a message. */
export const MAX_MESSAGE_DEPTH = 64;

/** What came of reading a body. */
export type BodyReading =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "too_large" }
  | { readonly kind: "too_deep" }
  | { readonly kind: "empty" }
  | { readonly kind: "malformed" };

/** Reads and parses a body. Never rejects for what a client sent. */
export async function readBody(request: Request): Promise<BodyReading> {
  const declared = Number(request.headers.get("content-length") ?? NaN);
  if (declared > MAX_BODY_BYTES) return { kind: "too_large" };
  let bytes: Uint8Array;
  try {
    // HTTP holds a body to its declared length, and reading it whole costs a
    // quarter of reading its stream.
    const isBounded = declared >= 0 &&
      !request.headers.has("transfer-encoding");
    const read = isBounded
      ? await request.bytes()
      : await readUpTo(request.body, MAX_BODY_BYTES);
    if (read === undefined) return { kind: "too_large" };
    bytes = read;
    if (bytes.length === 0) return { kind: "empty" };
  } catch {
    return { kind: "malformed" }; // The client went away in the middle.
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { kind: "malformed" };
  }
  return parseMessage(text);
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
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
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
