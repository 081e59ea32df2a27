/**
 * The tools that the official conformance suite calls by name. They exist in
 * tests only: the suite brings no way to test a server without them.
 *
 * @module
 */
import {
  acceptedContent,
  createRequestStateCodec,
  type InputRequest,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** One red pixel. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A WAV file without samples. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const KEY = crypto.getRandomValues(new Uint8Array(32));
/** Seals what a call wants to know again in its next round. */
export const STATE = createRequestStateCodec<string>({ key: KEY });

type Arguments = Readonly<Record<string, unknown>>;

/** A tool of the fixture server. */
export interface FixtureTool {
  readonly input?: Readonly<Record<string, unknown>>;
  run(context: ServerContext, args: Arguments): unknown;
}

const text = (value: string) => ({ type: "text", text: value });
const says = (value: string) => ({ content: [text(value)] });
const image = { type: "image", data: PNG, mimeType: "image/png" };

/** A question for the user, with one answer of a type. */
export function ask(
  message: string,
  name: string,
  type = "string",
): InputRequest {
  return inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: { [name]: { type } },
      required: [name],
    } as never,
  });
}

/** The user's answer to a question. */
export function answerOf(
  { mcpReq }: ServerContext,
  key: string,
): Arguments | undefined {
  return acceptedContent(mcpReq.inputResponses, key);
}

const sample = (question: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: question } }],
    maxTokens,
  });

const sampled = ({ mcpReq }: ServerContext, key: string) => {
  const view = inputResponse(mcpReq.inputResponses, key);
  return view.kind === "sampling" ? JSON.stringify(view.result) : undefined;
};

const rootsIn = ({ mcpReq }: ServerContext, key: string) => {
  const view = inputResponse(mcpReq.inputResponses, key);
  return view.kind === "roots" ? JSON.stringify(view.roots) : undefined;
};

/** The capabilities that the client declares with its request. */
const declaredBy = ({ mcpReq }: ServerContext): Arguments => {
  const envelope = mcpReq.envelope as Arguments | undefined;
  const declared = envelope?.["io.modelcontextprotocol/clientCapabilities"];
  return (declared ?? {}) as Arguments;
};

const unsupported = (): never => {
  throw new Error("A stateless server cannot ask the client in the middle");
};

const confirmed: FixtureTool = {
  async run(context) {
    if (
      context.mcpReq.requestState() === "asked" &&
      answerOf(context, "confirm") !== undefined
    ) return says("state-ok");
    return inputRequired({
      inputRequests: { confirm: ask("Please confirm", "ok", "boolean") },
      requestState: await STATE.mint("asked"),
    });
  },
};

const logged: FixtureTool = {
  async run({ mcpReq }) {
    await mcpReq.log("info", "Tool execution started");
    await mcpReq.log("info", "Tool processing data");
    await mcpReq.log("info", "Tool execution completed");
    return says("Logged");
  },
};

/** The tools, by name. */
export const FIXTURE_TOOLS: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: {
    run: () => says("This is a simple text response for testing."),
  },
  test_image_content: { run: () => ({ content: [image] }) },
  test_audio_content: {
    run: () => ({
      content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
    }),
  },
  test_embedded_resource: {
    run: () => ({
      content: [{
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      }],
    }),
  },
  test_multiple_content_types: {
    run: () => ({
      content: [text("Multiple content types test:"), image, {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      }],
    }),
  },
  test_error_handling: {
    run: () => ({
      ...says("This tool intentionally returns an error for testing"),
      isError: true,
    }),
  },
  test_tool_with_logging: logged,
  test_logging_tool: logged,
  test_tool_with_progress: {
    async run({ mcpReq }) {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken === undefined) return says("Nobody listens");
      for (const progress of [0, 50, 100]) {
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      }
      return says("Done");
    },
  },
  test_sampling: {
    input: { properties: { prompt: { type: "string" } } },
    run: unsupported,
  },
  test_elicitation: {
    input: { properties: { message: { type: "string" } } },
    run: unsupported,
  },
  test_elicitation_sep1034_defaults: { run: unsupported },
  test_elicitation_sep1330_enums: { run: unsupported },
  json_schema_2020_12_tool: {
    input: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: {
        properties: { contactMethod: { const: "phone" } },
        required: ["contactMethod"],
      },
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: (_context, args) => says(JSON.stringify(args)),
  },
  test_missing_capability: {
    run(context) {
      if (declaredBy(context).sampling === undefined) {
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { sampling: {} },
        });
      }
      return says("Sampling is there");
    },
  },
  test_streaming_elicitation: {
    run: (context) =>
      answerOf(context, "user_name") === undefined
        ? inputRequired({
          inputRequests: { user_name: ask("What is your name?", "name") },
        })
        : says("Thanks"),
  },
  test_input_required_result_elicitation: {
    run(context) {
      const name = answerOf(context, "user_name")?.name;
      return typeof name === "string"
        ? says(`Hello, ${name}!`)
        : inputRequired({
          inputRequests: { user_name: ask("What is your name?", "name") },
        });
    },
  },
  test_input_required_result_sampling: {
    run(context) {
      const answer = sampled(context, "capital_question");
      return answer !== undefined ? says(answer) : inputRequired({
        inputRequests: {
          capital_question: sample("What is the capital of France?", 100),
        },
      });
    },
  },
  test_input_required_result_list_roots: {
    run(context) {
      const roots = rootsIn(context, "client_roots");
      return roots !== undefined ? says(roots) : inputRequired({
        inputRequests: { client_roots: inputRequired.listRoots() },
      });
    },
  },
  test_input_required_result_request_state: confirmed,
  test_input_required_result_tampered_state: confirmed,
  test_input_required_result_multiple_inputs: {
    async run(context) {
      const name = answerOf(context, "user_name")?.name;
      const greeting = sampled(context, "greeting");
      const roots = rootsIn(context, "client_roots");
      if (name !== undefined && greeting !== undefined && roots !== undefined) {
        return says(`${name} ${greeting} ${roots}`);
      }
      return inputRequired({
        inputRequests: {
          user_name: ask("What is your name?", "name"),
          greeting: sample("Generate a greeting", 50),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await STATE.mint("asked"),
      });
    },
  },
  test_input_required_result_multi_round: {
    async run(context) {
      const state = context.mcpReq.requestState();
      const color = answerOf(context, "step2")?.color;
      if (state === "round 2" && color !== undefined) return says("All told");
      if (state === "round 1" && answerOf(context, "step1") !== undefined) {
        return inputRequired({
          inputRequests: {
            step2: ask("Step 2: What is your favorite color?", "color"),
          },
          requestState: await STATE.mint("round 2"),
        });
      }
      return inputRequired({
        inputRequests: { step1: ask("Step 1: What is your name?", "name") },
        requestState: await STATE.mint("round 1"),
      });
    },
  },
  test_input_required_result_capabilities: {
    run(context) {
      const declared = declaredBy(context);
      const asked = {
        ...(declared.elicitation === undefined
          ? {}
          : { user_name: ask("What is your name?", "name") }),
        ...(declared.sampling === undefined
          ? {}
          : { greeting: sample("Generate a greeting", 50) }),
      };
      return Object.keys(asked).length === 0 ||
          context.mcpReq.inputResponses !== undefined
        ? says("Nothing to ask")
        : inputRequired({ inputRequests: asked });
    },
  },
};
