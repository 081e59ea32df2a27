/**
 * A protocol server with the suite's fixtures, for the product's own HTTP
 * stack to carry.
 *
 * @module
 */
import {
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { answerOf, ask, FIXTURE_TOOLS, PNG, STATE } from "./fixture_tools.ts";

const HINT = { ttlMs: 60_000, cacheScope: "public" } as const;
const TEMPLATE_REGEXP = /^test:\/\/template\/([^/]+)\/data$/;

/** Makes the fixture server of one request. */
export function createFixtureServer(): Server {
  const server = new Server({ name: "conformance-fixtures", version: "0" }, {
    capabilities: {
      tools: { listChanged: false },
      resources: { listChanged: false },
      prompts: { listChanged: false },
      completions: {},
      logging: {},
    },
    cacheHints: {
      "server/discover": HINT,
      "tools/list": HINT,
      "prompts/list": HINT,
      "resources/list": HINT,
      "resources/templates/list": HINT,
      "resources/read": HINT,
    },
    requestState: { verify: STATE.verify },
    inputRequired: { legacyShim: false },
  });
  addTools(server);
  addResources(server);
  addPrompts(server);
  server.setRequestHandler(
    "completion/complete",
    () => ({ completion: { values: ["paris"], total: 1, hasMore: false } }),
  );
  return server;
}

function addTools(server: Server): void {
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(FIXTURE_TOOLS).map(([name, { input }]) => ({
      name,
      description: `Fixture ${name}`,
      inputSchema: { type: "object" as const, ...input },
    })),
  }));
  server.setRequestHandler("tools/call", ({ params }, context) => {
    const tool = Object.hasOwn(FIXTURE_TOOLS, params.name)
      ? FIXTURE_TOOLS[params.name]
      : undefined;
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "No such tool");
    }
    return tool.run(context, params.arguments ?? {}) as never;
  });
}

function addResources(server: Server): void {
  server.setRequestHandler("resources/list", () => ({
    resources: ["static-text", "static-binary", "watched-resource"].map(
      (name) => ({
        uri: `test://${name}`,
        name,
        description: `Fixture ${name}`,
        mimeType: name === "static-binary" ? "image/png" : "text/plain",
      }),
    ),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{
      uriTemplate: "test://template/{id}/data",
      name: "template",
      description: "Fixture template",
      mimeType: "application/json",
    }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({
    contents: [contentOf(uri)],
  }));
}

function contentOf(uri: string) {
  const id = TEMPLATE_REGEXP.exec(uri)?.[1];
  if (id !== undefined) {
    return {
      uri,
      mimeType: "application/json",
      text: JSON.stringify({
        id,
        templateTest: true,
        data: `Data for ID: ${id}`,
      }),
    };
  }
  switch (uri) {
    case "test://static-text":
      return {
        uri,
        mimeType: "text/plain",
        text: "This is the content of the static text resource.",
      };
    case "test://static-binary":
      return { uri, mimeType: "image/png", blob: PNG };
    case "test://watched-resource":
      return { uri, mimeType: "text/plain", text: "Never changes." };
    default:
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "Resource not found",
        { uri },
      );
  }
}

const user = (content: Readonly<Record<string, unknown>>) => ({
  role: "user",
  content,
});
const say = (text: string) => user({ type: "text", text });

function addPrompts(server: Server): void {
  const argument = (name: string) => ({ name, required: true });
  server.setRequestHandler("prompts/list", () => ({
    prompts: [
      { name: "test_simple_prompt", arguments: [] },
      {
        name: "test_prompt_with_arguments",
        arguments: [argument("arg1"), argument("arg2")],
      },
      {
        name: "test_prompt_with_embedded_resource",
        arguments: [argument("resourceUri")],
      },
      { name: "test_prompt_with_image", arguments: [] },
      { name: "test_input_required_result_prompt", arguments: [] },
    ].map((prompt) => ({ ...prompt, description: `Fixture ${prompt.name}` })),
  }));
  server.setRequestHandler("prompts/get", ({ params }, context) => {
    const args = params.arguments ?? {};
    switch (params.name) {
      case "test_simple_prompt":
        return messages(say("This is a simple prompt for testing."));
      case "test_prompt_with_arguments":
        return messages(
          say(
            `Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`,
          ),
        );
      case "test_prompt_with_embedded_resource":
        return messages(
          user({
            type: "resource",
            resource: {
              uri: args.resourceUri,
              mimeType: "text/plain",
              text: "Embedded resource content for testing.",
            },
          }),
          say("Please process the embedded resource above."),
        );
      case "test_prompt_with_image":
        return messages(
          user({ type: "image", data: PNG, mimeType: "image/png" }),
          say("Please analyze the image above."),
        );
      case "test_input_required_result_prompt": {
        const answer = answerOf(context, "user_context");
        return answer !== undefined
          ? messages(say(`Context: ${answer.context}`))
          : inputRequired({
            inputRequests: {
              user_context: ask(
                "What context should the prompt use?",
                "context",
              ),
            },
          }) as never;
      }
      default:
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          "No such prompt",
        );
    }
  });
}

function messages(...all: readonly unknown[]) {
  return { messages: all } as never;
}
