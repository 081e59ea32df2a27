/**
 * JSON-RPC answers that this server writes itself, before the SDK has a say.
 *
 * An error that belongs to no request has no `id` at all: the MCP schema
 * refuses `id: null`.
 *
 * @module
 */

/** JSON-RPC 2.0 codes. */
export const PARSE_ERROR = -32700;
/** The message is not a request, a notification or a response. */
export const INVALID_REQUEST = -32600;
/** There is no such method. */
export const METHOD_NOT_FOUND = -32601;
/** Fault on this side. */
export const INTERNAL_ERROR = -32603;
/** A refusal of the HTTP layer, in the range left to implementations. */
export const HTTP_REFUSAL = -32000;

/**
 * Opens a stream of list changes. No list of this server ever changes, and
 * such a stream would hold its connection open for nothing.
 */
export const LISTEN_METHOD = "subscriptions/listen";

/** An error message; `id` only where a request is answered. */
export function rpcError(
  code: number,
  message: string,
  id?: string | number,
): Record<string, unknown> {
  return {
    jsonrpc: "2.0",
    ...(id === undefined ? {} : { id }),
    error: { code, message },
  };
}

/** What is wrong with a parsed message, or undefined. */
export function messageFault(message: unknown): string | undefined {
  if (Array.isArray(message)) {
    return "Batches are not supported: send one message a request";
  }
  if (typeof message !== "object" || message === null) {
    return "A message must be a JSON object";
  }
  if (!("jsonrpc" in message) || message.jsonrpc !== "2.0") {
    return 'A message must carry "jsonrpc": "2.0"';
  }
  if ("id" in message && !isId(message.id)) {
    return "An id must be a string or a whole number";
  }
  if ("method" in message) {
    if (typeof message.method !== "string") return "A method must be a string";
    return faultyParams(message);
  }
  return "result" in message || "error" in message
    ? undefined
    : "A message must carry a method, a result or an error";
}

/** The id of a request, where it has a usable one. */
export function idOf(message: unknown): string | number | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  return "id" in message && isId(message.id) ? message.id : undefined;
}

function faultyParams(message: object): string | undefined {
  if (!("params" in message)) return undefined;
  const { params } = message;
  return typeof params === "object" && params !== null && !Array.isArray(params)
    ? undefined
    : "Params must be a JSON object";
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" || Number.isSafeInteger(id);
}
