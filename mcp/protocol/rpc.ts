/**
 * JSON-RPC answers that this server writes itself, before the SDK has a say.
 *
 * An error that belongs to no request has no `id` at all: the MCP schema
 * refuses `id: null`.
 *
 * @module
 */

import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
} from "@modelcontextprotocol/server";

/** JSON-RPC code of a fault whose text is fit to be read. */
export const UNAVAILABLE = -32_000;
/** JSON-RPC 2.0 codes. */
export const PARSE_ERROR = -32700;
/** The message is not a request, a notification or a response. */
export const INVALID_REQUEST = -32600;
/** There is no such method. */
export const METHOD_NOT_FOUND = -32601;
/** The method is known, and its parameters are wrong. */
export const INVALID_PARAMS = -32602;
/** Fault on this side. */
export const INTERNAL_ERROR = -32603;
const MAX_FAULTS = 5;

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

/** What a parsed value is: a message, or what is wrong with it. */
export type MessageReading =
  | { readonly ok: true; readonly message: JSONRPCMessage }
  | {
    readonly ok: false;
    readonly fault: string;
    readonly id: string | number | undefined;
  };

/**
 * Reads a message out of a parsed value. Optional members that come as null,
 * or as the empty list that PHP makes of an empty object, count as absent, as
 * clients mean them. Members that JSON-RPC does not know are left out, and a form that the SDK does not know is a fault here: the SDK
 * drops both without a word, and the client would wait for ever.
 */
export function readMessage(value: unknown): MessageReading {
  const fault = faultOf(isObject(value) ? withoutNulls(value) : value);
  const id = idOf(value);
  if (fault !== undefined) return { ok: false, fault, id };
  const message = withoutUnknown(withoutNulls(value as Member));
  const isKnown = isJSONRPCRequest(message) || isJSONRPCNotification(message) ||
    isJSONRPCResponse(message);
  return isKnown
    ? { ok: true, message }
    : { ok: false, fault: "The message does not have the form of MCP", id };
}

/** A JSON object. */
export type Member = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object, and no list. */
export function isObject(value: unknown): value is Member {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Null, or an empty list where an object belongs. */
function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** The object without members that are nothing. */
function withoutNothing(object: Member): Member {
  return Object.values(object).some(isNothing)
    ? Object.fromEntries(
      Object.entries(object).filter(([, value]) => !isNothing(value)),
    )
    : object;
}

/** A request whose optional members are absent where they say nothing. */
function withoutNulls(message: Member): Member {
  const { params, ...rest } = message;
  if (typeof message.method !== "string" || params === undefined) {
    return message;
  }
  if (isNothing(params)) return rest;
  if (!isObject(params)) return message;
  const { arguments: args, ...envelope } = params;
  const kept: Record<string, unknown> = { ...withoutNothing(envelope) };
  // Arguments belong to the tool, whose schema says what may be left out.
  if (args !== undefined && !isNothing(args)) kept.arguments = args;
  if (isObject(kept._meta)) kept._meta = withoutNothing(kept._meta);
  if (message.method === "initialize") {
    kept.capabilities = capabilitiesOf(params.capabilities);
  }
  return { ...rest, params: kept };
}

/** Capabilities as objects: `true` announces one, and false or null none. */
function capabilitiesOf(given: unknown): unknown {
  if (given === undefined || isNothing(given)) return {};
  if (!isObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => !isNothing(value) && value !== false)
      .map(([name, value]) => [name, value === true ? {} : value]),
  );
}

function withoutUnknown(
  { jsonrpc, id, method, params, result, error }: Record<string, unknown>,
): Record<string, unknown> {
  return {
    jsonrpc,
    ...(id === undefined ? {} : { id }),
    ...(method !== undefined
      ? { method, ...(params === undefined ? {} : { params }) }
      : error !== undefined
      ? { error }
      : { result }),
  };
}

function faultOf(message: unknown): string | undefined {
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

/**
 * The SDK reports parameters that break its schema as an internal error, with
 * the report of its validator as the text, and anything thrown with the text
 * of whatever was thrown. The first becomes what it is, the second says
 * nothing.
 */
export function tidied(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message)) return message;
  const { code, message: text } = message.error;
  if (code !== INTERNAL_ERROR && code !== INVALID_PARAMS) return message;
  const faults = schemaFaults(text);
  if (faults !== undefined) {
    const error = {
      code: INVALID_PARAMS,
      message: `Invalid params: ${faults}`,
    };
    return { ...message, error };
  }
  if (code === INVALID_PARAMS) return message;
  return { ...message, error: { code, message: "Internal error" } };
}

/** The report of the validator in one line; undefined where it is none. */
function schemaFaults(text: string): string | undefined {
  // It stands alone, or behind the name of what was checked.
  const reading = tryParse(text.slice(Math.max(0, text.search(/\[\s*\{/))));
  if (!Array.isArray(reading)) return undefined;
  return reading.slice(0, MAX_FAULTS).map((issue) =>
    `${Array.isArray(issue?.path) ? issue.path.join(".") : "params"}: ${
      String(issue?.message)
    }`
  ).join("; ").slice(0, 500).toWellFormed();
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
