/**
 * The error envelope of everything over HTTP that is not MCP.
 *
 * @module
 */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { kindOf, toCallerText, ToolError } from "../errors.ts";
import type { Log } from "../log.ts";

/** Under which name a request's context keeps the label of its refusal. */
export const REFUSAL = "refusal";

/** What a refused request is answered with. */
export interface ErrorEnvelope {
  /** Label for programs. */
  readonly error: string;
  /** All messages in one text. */
  readonly message: string;
  /** What is wrong, one sentence each. */
  readonly messages: readonly string[];
}

/** The envelope of a message, or of the parts that it is made of. */
export function envelopeOf(
  error: string,
  message: string,
  messages: readonly string[] = [message],
): ErrorEnvelope {
  return { error, message, messages };
}

/** Answers with the envelope; `error` is one of a fixed set of labels. */
export function refuse(
  c: Context,
  status: ContentfulStatusCode,
  error: string,
  message: string,
  messages?: readonly string[],
): Response {
  c.set(REFUSAL, error); // For the counters.
  return c.json(envelopeOf(error, message, messages), status);
}

/**
 * Answers with the envelope for an error: refusals in their own words, anything
 * else with a reference to the log; `hasChanged` where something was done before.
 */
export function refuseError(
  c: Context,
  error: unknown,
  log: Log,
  { hasChanged = false } = {},
): Response {
  const { status, reason } = kindOf(error);
  if (status === 503) c.header("Retry-After", "2");
  const parts = error instanceof ToolError ? error.problems : undefined;
  const effect = hasChanged
    ? "changed"
    : ["GET", "HEAD"].includes(c.req.method)
    ? "read"
    : "write";
  return refuse(c, status, reason, toCallerText(error, log, effect), parts);
}
