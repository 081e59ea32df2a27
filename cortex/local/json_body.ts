/**
 * Reads JSON that a stranger sent: bounded in bytes and depth, in valid UTF-8,
 * and made of texts and numbers that can be stored and given back unchanged.
 *
 * @module
 */
import { pause } from "../pause.ts";
import { quote } from "../errors.ts";
import { invalid, WireError } from "./wire_error.ts";

/** Most bytes of a body: a bulk of large pieces has to fit. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Deepest nesting of a body. */
const MAX_BODY_DEPTH = 64;

/** A JSON object as parsed. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Reads the body of a request. @throws {WireError} 400, 413 or 422. */
export async function readJsonBody(request: Request): Promise<JsonRecord> {
  const text = decode(await readBytes(request));
  await pause();
  assertDepth(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed("it is not JSON");
  }
  if (!isRecord(value)) throw invalid("The body must be a JSON object");
  assertStorable(value);
  return value;
}

/** True for a JSON object: not null, not an array. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function readBytes(request: Request): Promise<Uint8Array[]> {
  const tooLarge = () =>
    new WireError(
      413,
      "PAYLOAD_TOO_LARGE",
      `The body has more than ${MAX_BODY_BYTES} bytes`,
    );
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) {
    await request.body?.cancel();
    throw tooLarge();
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof WireError ? error : malformed("it ended early");
  }
  return chunks;
}

function decode(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true }))
      .join("") + decoder.decode();
  } catch {
    throw malformed("it is not UTF-8");
  }
}

/** Refuses deep nesting before the parser recurses into it. */
function assertDepth(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = stringEnd(text, at);
    else if (char === "[" || char === "{") depth++;
    else if (char === "]" || char === "}") depth--;
    if (depth > MAX_BODY_DEPTH) {
      throw malformed(`it nests deeper than ${MAX_BODY_DEPTH} levels`);
    }
  }
}

/** Where the string that begins at `start` has its closing quote. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0;) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

function assertStorable(value: unknown): void {
  if (typeof value === "string") assertText(value);
  if (typeof value === "number") {
    const isExact = Number.isInteger(value)
      ? Number.isSafeInteger(value)
      : Number.isFinite(value);
    if (!isExact) {
      throw invalid("The body holds a number beyond the range of a double");
    }
  }
  if (typeof value !== "object" || value === null) return;
  for (const [key, one] of Object.entries(value)) {
    assertText(key);
    assertStorable(one); // No deeper than assertDepth let through.
  }
}

function assertText(text: string): void {
  if (!text.includes("\0") && text.isWellFormed()) return;
  throw invalid(
    `The body holds a text with NUL or half a surrogate pair, which cannot be stored: ${
      quote(text)
    }`,
  );
}

function malformed(what: string): WireError {
  return new WireError(400, "INVALID_BODY", `Cannot read the body: ${what}`);
}
