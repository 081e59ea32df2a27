/**
 * Reads JSON that a stranger sent: bounded in bytes, time and depth, in valid UTF-8,
 * and made of texts and numbers that can be stored and given back unchanged.
 *
 * @module
 */
import { pause } from "../pause.ts";
import { quote } from "../errors.ts";
import { invalid, WireError } from "./wire_error.ts";

/** Most bytes of a body: a bulk of large pieces has to fit. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** How long a body may take to arrive, in milliseconds. */
const MAX_BODY_MS = 60_000;
/** Deepest nesting of a body. */
const MAX_BODY_DEPTH = 64;

/** A JSON object as parsed. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Reads the body of a request. @throws {WireError} 400, 408, 413 or 422. */
export async function readJsonBody(
  request: Request,
  limitMs: number = MAX_BODY_MS,
): Promise<JsonRecord> {
  const text = decode(await readBytes(request, limitMs));
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

async function readBytes(
  { headers, body }: Request,
  limitMs: number,
): Promise<Uint8Array[]> {
  const tooLarge = () =>
    new WireError(
      413,
      "PAYLOAD_TOO_LARGE",
      `The body has more than ${MAX_BODY_BYTES} bytes`,
    );
  if (Number(headers.get("content-length") ?? 0) > MAX_BODY_BYTES) {
    await body?.cancel();
    throw tooLarge();
  }
  if (body === null) return [];
  const chunks: Uint8Array[] = [];
  const reader = body.getReader();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader.cancel().catch(() => {}); // Ends the reading.
  }, limitMs);
  try {
    for (let length = 0;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(value);
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw error instanceof WireError ? error : malformed("it ended early");
  } finally {
    clearTimeout(timer);
  }
  if (!isLate) return chunks;
  throw new WireError(
    408,
    "REQUEST_TIMEOUT",
    "The body did not arrive in time",
    { isRetriable: true },
  );
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
