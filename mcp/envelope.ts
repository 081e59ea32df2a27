/**
 * The error envelope of everything over HTTP that is not MCP.
 *
 * @module
 */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** What a refused request is answered with. */
export interface ErrorEnvelope {
  /** Label for programs. */
  readonly error: string;
  /** All messages in one text. */
  readonly message: string;
  /** What is wrong, one sentence each. */
  readonly messages: readonly string[];
}

/** The envelope of one message. */
export function envelopeOf(error: string, message: string): ErrorEnvelope {
  return { error, message, messages: [message] };
}

/** Answers with the envelope. */
export function refuse(
  c: Context,
  status: ContentfulStatusCode,
  error: string,
  message: string,
): Response {
  return c.json(envelopeOf(error, message), status);
}
