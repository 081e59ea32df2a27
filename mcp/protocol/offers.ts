/**
 * Prompts and resources of a protocol server.
 *
 * @module
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from "@modelcontextprotocol/server";
import { describePrompt, promptProblem, promptsOf } from "../offers/prompts.ts";
import {
  completeResource,
  readResource,
  resourcesOf,
  templatesOf,
} from "../offers/resources.ts";
import type { ToolContext } from "../services.ts";
import type { Tool } from "../tools/tool.ts";
import { UNAVAILABLE } from "./rpc.ts";

/** What the handlers need of the connection. */
interface Seen {
  /** The tools that the connection sees. @throws {ProtocolError} */
  readonly tools: () => Promise<readonly Tool[]>;
  /** What a call is made with. */
  readonly context: (signal: AbortSignal) => ToolContext;
}

/** Answers for prompts, resources and their completion. */
export function offerTexts(server: Server, { tools, context }: Seen): void {
  server.setRequestHandler("prompts/list", async () => ({
    prompts: promptsOf(await tools()).map(describePrompt) as never,
  }));
  server.setRequestHandler("prompts/get", async ({ params }) => {
    const prompt = promptsOf(await tools())
      .find(({ name }) => name === params.name);
    const args = params.arguments ?? {};
    const problem = prompt === undefined
      ? `Prompt not found: ${cut(params.name)}`
      : promptProblem(prompt, args);
    if (prompt === undefined || problem !== undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem ?? "");
    }
    return {
      description: prompt.description,
      messages: [{
        role: "user" as const,
        content: { type: "text" as const, text: prompt.write(args) },
      }],
    };
  });
  server.setRequestHandler("resources/list", async () => ({
    resources: resourcesOf(await tools()) as never,
  }));
  server.setRequestHandler("resources/templates/list", async () => ({
    resourceTemplates: templatesOf(await tools()) as never,
  }));
  server.setRequestHandler("resources/read", async ({ params }, { mcpReq }) => {
    const { uri } = params;
    const seen = await tools();
    const reading = await readResource(uri, seen, context(mcpReq.signal));
    if (reading === undefined) throw new ResourceNotFoundError(cut(uri));
    if (!reading.ok) throw new ProtocolError(UNAVAILABLE, reading.reason);
    const { text } = reading;
    return { contents: [{ uri, mimeType: "application/json", text }] };
  });
  server.setRequestHandler(
    "completion/complete",
    async ({ params }, { mcpReq }) => {
      const { ref, argument } = params;
      const values = ref.type === "ref/resource"
        ? await completeResource(
          {
            template: ref.uri,
            argument: argument.name,
            value: argument.value,
            filled: params.context?.arguments ?? {},
          },
          await tools(),
          context(mcpReq.signal),
        )
        : [];
      return { completion: { values: [...values], hasMore: false } };
    },
  );
}

/** A caller's text, as far as it is repeated. */
function cut(text: string): string {
  return text.slice(0, 200).toWellFormed();
}
