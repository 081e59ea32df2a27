/**
 * Calls of tools in the form that nearly all of them have, answered without a
 * protocol server of the SDK: checking such a message once is a third of what
 * the SDK's ways there and back cost (`deno task bench http records`).
 *
 * Whatever is unusual in a message is left to the SDK, and both ways answer the
 * same (a test compares them).
 *
 * @module
 */
import {
  classifyInboundRequest,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import type { Connection } from "../caller/connection.ts";
import type { Services } from "../services.ts";
import { idOf, isObject, type Member } from "./rpc.ts";
import { SERVER_INFO } from "./server.ts";
import { callByName } from "./tool_calls.ts";

/** A call of a tool whose message holds nothing unusual. */
export interface DirectCall {
  readonly id: string | number;
  /** Of the tool. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>> | undefined;
  /** What the message claims; legacy ones claim nothing. */
  readonly revision: string | undefined;
}

const METHOD = "tools/call";
/** The revision whose requests each carry an envelope. */
const MODERN_REVISION = "2026-07-28";
/** Members of `_meta` that the protocol has a use for begin so. */
const RESERVED = "io.modelcontextprotocol/";
const MESSAGE_MEMBERS = ["jsonrpc", "id", "method", "params"];
const PARAMS_MEMBERS = ["name", "arguments", "_meta"];
const MAX_ENVELOPES = 1_000;
/** Characters of an envelope that is kept; clients need a tenth of it. */
const MAX_ENVELOPE = 2_000;

/**
 * Envelopes that the SDK took, as JSON: a client's are the same in each of its
 * requests.
 */
const takenEnvelopes = new Set<string>();

/** Reads a call out of a parsed value; undefined where the SDK has to. */
export function readDirectCall(value: unknown): DirectCall | undefined {
  if (!isObject(value) || !hasOnly(value, MESSAGE_MEMBERS)) return undefined;
  const { jsonrpc, method, params } = value;
  const id = idOf(value);
  if (jsonrpc !== "2.0" || method !== METHOD || id === undefined) {
    return undefined;
  }
  if (!isObject(params) || !hasOnly(params, PARAMS_MEMBERS)) return undefined;
  const { name, arguments: args, _meta: meta } = params;
  if (typeof name !== "string") return undefined;
  if (args !== undefined && !isObject(args)) return undefined;
  if (meta === undefined) return { id, name, args, revision: undefined };
  if (!isObject(meta) || !isToken(meta.progressToken)) return undefined;
  if (!Object.keys(meta).some((key) => key.startsWith(RESERVED))) {
    return { id, name, args, revision: undefined };
  }
  return isTaken(meta, value)
    ? { id, name, args, revision: MODERN_REVISION }
    : undefined;
}

/**
 * Whether the headers of a call over HTTP say what its message says, in plain
 * characters. A legacy one may name its revision.
 */
export function isNamedBy(
  headers: Headers,
  { name, revision }: DirectCall,
): boolean {
  const version = headers.get("mcp-protocol-version");
  if (revision === undefined) {
    return version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
  }
  return version === revision && headers.get("mcp-method") === METHOD &&
    headers.get("mcp-name") === name;
}

/**
 * The answer as the SDK would give it; undefined where the connection sees no
 * such tool, which is the SDK's to say. Never rejects.
 */
export async function answerDirectly(
  call: DirectCall,
  services: Services,
  connection: Connection,
  signal: AbortSignal,
): Promise<JSONRPCMessage | undefined> {
  const result = await callByName(services, connection, { ...call, signal });
  if (result === undefined) return undefined;
  const { id, revision } = call;
  if (revision === undefined) return { jsonrpc: "2.0", id, result };
  const meta = {
    ...result._meta as object,
    [SERVER_INFO_META_KEY]: SERVER_INFO,
  };
  return {
    jsonrpc: "2.0",
    id,
    result: { ...result, resultType: "complete", _meta: meta },
  };
}

function hasOnly(object: Member, names: readonly string[]): boolean {
  return Object.keys(object).every((name) => names.includes(name));
}

/** A progress token, or none. */
function isToken(value: unknown): boolean {
  return value === undefined || typeof value === "string" ||
    Number.isSafeInteger(value);
}

/** Whether a message claims a revision, as all of the modern era do. */
export function claimsRevision(message: JSONRPCMessage): boolean {
  if (!("params" in message)) return false;
  const meta = message.params?._meta;
  return isObject(meta) && PROTOCOL_VERSION_META_KEY in meta;
}

/** Whether the SDK takes the envelope of a request. */
function isTaken(meta: Member, message: Member): boolean {
  if (meta[PROTOCOL_VERSION_META_KEY] !== MODERN_REVISION) return false;
  // A progress token differs from request to request, and was checked.
  const { progressToken: _, ...envelope } = meta;
  const key = JSON.stringify(envelope);
  if (takenEnvelopes.has(key)) return true;
  const { kind } = classifyInboundRequest({
    httpMethod: "POST",
    body: message,
  });
  if (kind !== "modern") return false;
  if (key.length > MAX_ENVELOPE) return true;
  if (takenEnvelopes.size >= MAX_ENVELOPES) takenEnvelopes.clear();
  takenEnvelopes.add(key);
  return true;
}
