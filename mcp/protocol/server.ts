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
import { toCallerText } from "../errors.ts";
import { toolInGroups, toolsInGroups } from "../tools/groups.ts";
import { GROUPS, TOOLS } from "../tools/registry.ts";
import { offerTexts } from "./offers.ts";
import { tidied, UNAVAILABLE } from "./rpc.ts";
import { callTool, describeTool, type Tool } from "../tools/tool.ts";
import type { Services } from "../services.ts";
import { VERSION } from "../version.ts";

/** How long a client may keep a list. */
const LIST_HINT = { ttlMs: 300_000, cacheScope: "private" } as const;

/** What is kept changes at any moment, so that nobody may keep its text. */
const CONTENT_HINT = { ttlMs: 0, cacheScope: "private" } as const;

const SERVER_INFO = {
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
  const asked = toolsInGroups(TOOLS, connection.groups);
  const server = new TidyServer(SERVER_INFO, {
    // Nothing here is subscribed to: a server keeps no connection in mind.
    capabilities: {
      tools: { listChanged: false },
      prompts: { listChanged: false },
      resources: { listChanged: false, subscribe: false },
      completions: {},
    },
    instructions: instructionsOf(connection, asked),
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
    const tools = await toolsOrText(connection, asked, services);
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
    const tools = await toolsOrText(connection, asked, services);
    if (typeof tools === "string") {
      return { content: [{ type: "text", text: tools }], isError: true };
    }
    const tool = tools.find((tool) => tool.name === params.name);
    if (tool === undefined) {
      // The same answer for a tool that exists elsewhere and one that does
      // not exist, so that a narrow connection learns nothing.
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `Tool not found: ${params.name.slice(0, 100).toWellFormed()}`,
      );
    }
    const result = await callTool(
      tool,
      { connection, services, signal: left ?? mcpReq.signal },
      params.arguments,
    );
    return result as never;
  });
  return server;
}

/** The visible tools, or why they are not known: a session's groups are stored. */
async function toolsOrText(
  connection: Connection,
  asked: readonly Tool[],
  { log }: Services,
): Promise<readonly Tool[] | string> {
  try {
    return await visibleTools(connection, asked);
  } catch (error) {
    return toCallerText(error, log);
  }
}

/** Of the tools that a connection asks for, those that it sees, in order. */
async function visibleTools(
  { confinedTo, readConfinement }: Connection,
  asked: readonly Tool[],
): Promise<readonly Tool[]> {
  const confinement = confinedTo ?? await readConfinement?.();
  if (confinement === undefined) return asked;
  return asked.flatMap((tool) => toolInGroups(tool, confinement) ?? []);
}

/** What a model is told of the server: of groups whose tools it sees, only. */
function instructionsOf(
  { groups, confinedTo }: Connection,
  asked: readonly Tool[],
): string {
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
