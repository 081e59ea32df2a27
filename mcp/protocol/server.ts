/**
 * Builds one protocol server for one connection.
 *
 * A server is made for every HTTP request and for every stdio connection, so
 * nothing is shared between clients. What is expensive (tool lists, schemas,
 * validators) is built once and lives in the registry.
 *
 * @module
 */
import {
  type jsonSchemaValidator,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Transport,
} from "@modelcontextprotocol/server";
import type { Connection } from "../caller/connection.ts";
import { toolInGroups } from "../tools/groups.ts";
import { GROUPS } from "../tools/registry.ts";
import { offerTexts } from "./offers.ts";
import { tidied, UNAVAILABLE } from "./rpc.ts";
import { askedTools, callByName, visibleTools } from "./tool_calls.ts";
import { describeTool } from "../tools/tool.ts";
import type { Services } from "../services.ts";
import { VERSION } from "../version.ts";

/** How long a client may keep a list. */
const LIST_HINT = { ttlMs: 300_000, cacheScope: "private" } as const;

/** What is kept changes at any moment, so that nobody may keep its text. */
const CONTENT_HINT = { ttlMs: 0, cacheScope: "private" } as const;

/** Who answers. */
export const SERVER_INFO = {
  name: "rootcellar",
  title: "Rootcellar",
  version: VERSION,
};

/** Stands in for the SDK's default, which loads a validator for every server. */
const NO_ELICITATION: jsonSchemaValidator = {
  getValidator: () => () => ({
    valid: false,
    data: undefined,
    errorMessage: "This server elicits nothing",
  }),
};

/** A server whose errors are fit to be sent. */
class TidyServer extends Server {
  override connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(tidied(message), options);
    return super.connect(transport);
  }
}

/**
 * Makes a server that sees what the connection may see. `left` is aborted when
 * the client of an HTTP request leaves; on stdio it cancels its calls.
 */
export function createServer(
  services: Services,
  connection: Connection,
  left?: AbortSignal,
): Server {
  const server = new TidyServer(SERVER_INFO, {
    // Nothing here is subscribed to: a server keeps no connection in mind.
    capabilities: {
      tools: { listChanged: false },
      prompts: { listChanged: false },
      resources: { listChanged: false, subscribe: false },
      completions: {},
    },
    instructions: instructionsOf(connection),
    jsonSchemaValidator: NO_ELICITATION,
    cacheHints: {
      "tools/list": LIST_HINT,
      "prompts/list": LIST_HINT,
      "resources/list": LIST_HINT,
      "resources/templates/list": LIST_HINT,
      "resources/read": CONTENT_HINT,
      "server/discover": LIST_HINT,
    },
  });
  const toolsOrThrow = async () => {
    const tools = await visibleTools(connection, services);
    if (typeof tools === "string") throw new ProtocolError(UNAVAILABLE, tools);
    return tools;
  };
  offerTexts(server, {
    tools: toolsOrThrow,
    context: (signal) => ({ connection, services, signal: left ?? signal }),
  });
  server.setRequestHandler("tools/list", async () => ({
    tools: (await toolsOrThrow()).map(describeTool) as never,
  }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const { name, arguments: args } = params;
    const signal = left ?? mcpReq.signal;
    const call = { name, args, signal };
    const result = await callByName(services, connection, call);
    if (result !== undefined) return result as never;
    // The same answer for a tool that exists elsewhere and one that does not
    // exist, so that a narrow connection learns nothing.
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Tool not found: ${name.slice(0, 100).toWellFormed()}`,
    );
  });
  return server;
}

/** What a model is told of the server: of groups whose tools it sees, only. */
function instructionsOf(connection: Connection): string {
  const { groups, confinedTo } = connection;
  const asked = askedTools(connection);
  const seen = confinedTo === undefined
    ? asked
    : asked.flatMap((tool) => toolInGroups(tool, confinedTo) ?? []);
  const sentences = GROUPS.flatMap(({ name, instructions }) => {
    const own = seen.filter((tool) => tool.group === name);
    if (instructions === undefined || own.length === 0) return [];
    const writes = own.some(({ access }) => access === "write");
    return [
      instructions.read,
      ...(writes && instructions.write !== undefined
        ? [instructions.write]
        : []),
    ];
  });
  return [
    "Rootcellar keeps what an agent must remember between sessions.",
    `Tool groups of this connection: ${
      groups.length === 0 ? "none" : groups.join(", ")
    }.`,
    ...sentences,
    "Never store secrets.",
  ].join(" ");
}
