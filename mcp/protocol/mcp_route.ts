/**
 * The protocol on one POST, in both eras: the shape of the request is checked
 * here, the rest is the SDK's.
 *
 * @module
 */
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type JSONRPCMessage,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { readBody } from "../http/body.ts";
import type { Gate } from "../http/gate.ts";
import type { Connection } from "../caller/connection.ts";
import { toCallerText } from "../errors.ts";
import {
  type answerDirectly,
  isNamedBy,
  readDirectCall,
} from "./direct_call.ts";
import { exchange } from "./exchange.ts";
import {
  HTTP_REFUSAL,
  idOf,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  LISTEN_METHOD,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  readMessage,
  rpcError,
} from "./rpc.ts";
import type { Services } from "../services.ts";

/** Makes the protocol server of one request. */
export type ServerFactory = (
  services: Services,
  connection: Connection,
  left?: AbortSignal,
) => Server;

/** Answers a call without such a server; undefined leaves it to one. */
export type DirectAnswer = typeof answerDirectly;

/** Answers an admitted request. */
export type McpRoute = (
  request: Request,
  connection: Connection,
) => Promise<Response>;

/** Builds the route. */
export function createMcpRoute(
  services: Services,
  makeServer: ServerFactory,
  { bodyLimitMs, answer }: Pick<Gate, "bodyLimitMs"> & {
    /** Absent where each call is a protocol server's. */
    readonly answer?: DirectAnswer | undefined;
  },
): McpRoute {
  const modern = createMcpHandler(
    ({ authInfo }) =>
      makeServer(
        services,
        authInfo?.extra?.connection as Connection,
        authInfo?.extra?.left as AbortSignal,
      ),
    {
      legacy: "reject",
      onerror: (error) => services.log.debug("mcp_refused", { error }),
    },
  );
  return async (request, connection) => {
    if (request.method !== "POST") {
      return Response.json(
        rpcError(HTTP_REFUSAL, "Method not allowed: POST one message to /mcp"),
        { status: 405, headers: { allow: "POST" } },
      );
    }
    if (!isJsonContentType(request.headers.get("content-type"))) {
      return rpcResponse(
        415,
        HTTP_REFUSAL,
        "Content-Type must be application/json",
      );
    }
    const body = await readBody(request, bodyLimitMs);
    if (body.kind === "too_large") {
      return rpcResponse(413, HTTP_REFUSAL, "The body is larger than 4 MiB");
    }
    if (body.kind === "too_slow") {
      return rpcResponse(
        408,
        HTTP_REFUSAL,
        `The body did not arrive within ${bodyLimitMs / 1_000} seconds`,
      );
    }
    if (body.kind === "too_deep") {
      return rpcResponse(
        400,
        INVALID_REQUEST,
        "The message is nested deeper than 64 levels",
      );
    }
    if (body.kind !== "json") {
      return rpcResponse(
        400,
        PARSE_ERROR,
        "The body is not valid JSON in UTF-8",
      );
    }
    const call = answer === undefined ? undefined : readDirectCall(body.value);
    if (call !== undefined && isNamedBy(request.headers, call)) {
      const { signal } = request;
      const message = await answer?.(call, services, connection, signal);
      if (message !== undefined) return answered(request, message);
    }
    const reading = readMessage(body.value);
    if (!reading.ok) {
      return rpcResponse(400, INVALID_REQUEST, reading.fault, reading.id);
    }
    const { message } = reading;
    if (await isLegacyRequest(request, message)) {
      return await answerLegacy(request, message, {
        services,
        server: () => makeServer(services, connection, request.signal),
      });
    }
    if ("method" in message && message.method === LISTEN_METHOD) {
      return rpcResponse(
        404,
        METHOD_NOT_FOUND,
        "Method not found",
        idOf(message),
      );
    }
    const response = await modern.fetch(request, {
      parsedBody: message,
      authInfo: {
        token: "",
        clientId: "",
        scopes: [],
        extra: { connection, left: request.signal },
      },
    });
    // Of a cancelled call the SDK gives an answer without a body.
    if (request.signal.aborted) return cancelled(message);
    return response.ok ? response : await withoutNullId(response);
  };
}

async function answerLegacy(
  request: Request,
  message: JSONRPCMessage,
  { services, server }: {
    readonly services: Services;
    readonly server: () => Server;
  },
): Promise<Response> {
  const version = request.headers.get("mcp-protocol-version");
  const isHandshake = "method" in message && message.method === "initialize";
  if (
    version !== null && !isHandshake &&
    !SUPPORTED_PROTOCOL_VERSIONS.includes(version)
  ) {
    return rpcResponse(
      400,
      HTTP_REFUSAL,
      `Unsupported MCP-Protocol-Version; supported: ${
        SUPPORTED_PROTOCOL_VERSIONS.join(", ")
      }`,
      idOf(message),
    );
  }
  try {
    const answer = await exchange(server(), message);
    return answer === undefined
      ? new Response(null, { status: 202 })
      : Response.json(answer);
  } catch (error) {
    const text = toCallerText(error, services.log);
    return rpcResponse(500, INTERNAL_ERROR, text, idOf(message));
  }
}

function answered(request: Request, message: JSONRPCMessage): Response {
  return request.signal.aborted ? cancelled(message) : Response.json(message);
}

/** Nobody reads it. */
function cancelled(message: JSONRPCMessage): Response {
  return rpcResponse(
    503,
    HTTP_REFUSAL,
    "The call was cancelled",
    idOf(message),
  );
}

function rpcResponse(
  status: number,
  code: number,
  message: string,
  id?: string | number,
): Response {
  return Response.json(rpcError(code, message, id), { status });
}

async function withoutNullId(response: Response): Promise<Response> {
  const body = await response.json();
  if (body.id === null) delete body.id;
  const { status, headers } = response;
  const kept = new Headers(headers);
  kept.delete("content-length");
  return Response.json(body, { status, headers: kept });
}
