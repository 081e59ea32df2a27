/**
 * Reads what an answer of a bad status says about itself. Such a body may be
 * anything: an object in one of several dialects, a proxy's page, nothing.
 *
 * @module
 */

import type { RefusalReason } from "../errors.ts";
import { type FailedTry, retryAfterMs } from "./retry.ts";

/** A bad answer, read. */
export interface BadAnswer extends FailedTry {
  /** Its status. */
  readonly status: number;
  /** Its machine code, upper case. */
  readonly errorCode: string | undefined;
  /** Its words, not to be shown before the credential is taken out. */
  readonly text: string;
  /** Its request id. */
  readonly requestId: string | undefined;
}

const CODE_REGEXP = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const REQUEST_ID_REGEXP = /^[A-Za-z0-9_.:-]{1,100}$/;

/** Reads a bad answer from its head and as much of its body as was read. */
export function readBadAnswer(
  { status, headers }: Pick<Response, "status" | "headers">,
  bytes: Uint8Array,
): BadAnswer {
  const raw = new TextDecoder().decode(bytes);
  const requestId = headers.get("x-request-id") ?? undefined;
  return {
    status,
    ...readErrorBody(raw),
    requestId: requestId !== undefined && REQUEST_ID_REGEXP.test(requestId)
      ? requestId
      : undefined,
    retryAfterMs: retryAfterMs(headers),
  };
}

function readErrorBody(raw: string): Pick<BadAnswer, "errorCode" | "text"> {
  const body = tryParse(raw);
  const inner = fieldOf(body, "error");
  const texts = [
    fieldOf(body, "error_code"),
    fieldOf(body, "errorCode"),
    fieldOf(body, "code"),
    fieldOf(inner, "code"),
    inner,
  ].filter((value) => typeof value === "string");
  const code = texts.find((text) => CODE_REGEXP.test(text));
  const words = [fieldOf(body, "message"), fieldOf(inner, "message"), inner]
    .find((value) => typeof value === "string" && value !== code);
  const isObject = typeof body === "object" && body !== null;
  const text = typeof words === "string" ? words : isObject ? "" : raw.trim();
  return { errorCode: code?.toUpperCase(), text };
}

/** What kind of no a bad answer is. */
export function refusalReason(
  { status, errorCode }: Pick<BadAnswer, "status" | "errorCode">,
): RefusalReason {
  if (errorCode === "MISSING_PACK") return "not_found";
  if (status === 400 && errorCode === "CONFLICT") return "conflict";
  if (status === 400 || status === 413 || status === 422) {
    return "invalid_request";
  }
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 404) return "not_found";
  return status === 409 ? "conflict" : "refused";
}

function tryParse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name] // An own field, just checked.
    : undefined;
}
