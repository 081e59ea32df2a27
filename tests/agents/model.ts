/**
 * A model that follows a script, in the four dialects that agents speak: it
 * calls one tool after the other, whatever the answers are, and then says that
 * it is done. What it was shown and told is kept for the test.
 *
 * @module
 */

/** A step of the script: a tool by its own name, and its arguments. */
export interface Step {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A scripted model that listens on loopback. */
export interface Model extends AsyncDisposable {
  /** Its address, without a path. */
  readonly url: string;
  /** Names of the tools that it was shown last. */
  readonly shown: () => readonly string[];
  /** What the tools answered, as the agent told it. */
  readonly results: () => readonly string[];
}

/** What a request says, whatever the dialect. */
interface Asked {
  /** Names of tools, as the agent calls them. */
  readonly tools: readonly string[];
  /** What the tools of this conversation answered, oldest first. */
  readonly results: readonly string[];
  /** Turns a call into the one that the agent takes for a tool it hides. */
  readonly wrap?: (name: string, args: object) => Call;
}

interface Call {
  readonly name: string;
  readonly args: object;
}

// deno-lint-ignore no-explicit-any -- requests of nine programs
type Json = any;

/** A dialect: how a request is read, and how a turn is written. */
interface Dialect {
  readonly read: (body: Json) => Asked;
  readonly write: (
    turn: { readonly call?: Call; id: string },
    body: Json,
    path: string,
  ) => Response;
}

const DONE = "All steps are done.";

/** Starts a model that follows the steps in each conversation. */
export function startModel(steps: readonly Step[]): Model {
  let shown: readonly string[] = [];
  let results: readonly string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      if (request.method !== "POST") {
        return Response.json({ object: "list", data: [{ id: "scripted" }] });
      }
      const body = await request.json().catch(() => ({}));
      if (
        pathname.endsWith("count_tokens") || pathname.includes("countTokens")
      ) {
        return Response.json({ input_tokens: 10, totalTokens: 10 });
      }
      const dialect = dialectOf(pathname);
      if (dialect === undefined) return Response.json({});
      const asked = dialect.read(body);
      // Titles and summaries are asked for without our tools.
      const ours = asked.tools.some((name) => /root_|_memory/.test(name));
      const step = steps[asked.results.length];
      if (ours) {
        shown = asked.tools;
        if (asked.results.length >= results.length) results = asked.results;
      }
      const name = ours && step !== undefined
        ? asked.tools.find((tool) =>
          tool === step.tool ||
          /[-_.]$/.test(tool.slice(0, -step.tool.length)) &&
            tool.endsWith(step.tool)
        )
        : undefined;
      const call = name === undefined || step === undefined
        ? undefined
        : asked.wrap?.(name, step.args) ?? { name, args: step.args };
      const id = `call_${asked.results.length}`;
      return dialect.write(
        { ...(call === undefined ? {} : { call }), id },
        body,
        pathname,
      );
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    shown: () => shown,
    results: () => results,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function dialectOf(path: string): Dialect | undefined {
  if (path.endsWith("/messages")) return ANTHROPIC;
  if (path.endsWith("/chat/completions")) return CHAT;
  if (path.endsWith("/responses")) return RESPONSES;
  if (path.includes("enerateContent")) return GEMINI;
  return undefined;
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function events(list: readonly Json[], named: boolean): Response {
  const text = list.map((event) =>
    `${named ? `event: ${event.type}\n` : ""}data: ${
      typeof event === "string" ? event : JSON.stringify(event)
    }\n\n`
  ).join("");
  return new Response(text, {
    headers: { "content-type": "text/event-stream" },
  });
}

const ANTHROPIC: Dialect = {
  read: ({ tools = [], messages = [] }) => ({
    tools: tools.map((tool: Json) => tool.name),
    results: messages.flatMap(({ content }: Json) =>
      (Array.isArray(content) ? content : [])
        .filter(({ type }: Json) => type === "tool_result")
        .map((one: Json) => textOf(one.content))
    ),
  }),
  write({ call, id }, { stream, model }) {
    const block = call === undefined
      ? { type: "text", text: DONE }
      : { type: "tool_use", id, name: call.name, input: call.args };
    const stop_reason = call === undefined ? "end_turn" : "tool_use";
    const usage = { input_tokens: 10, output_tokens: 10 };
    const message = {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model,
      content: [block],
      stop_reason,
      stop_sequence: null,
      usage,
    };
    if (stream !== true) return Response.json(message);
    const [start, delta] = call === undefined
      ? [{ type: "text", text: "" }, { type: "text_delta", text: DONE }]
      : [{ ...block, input: {} }, {
        type: "input_json_delta",
        partial_json: JSON.stringify(call.args),
      }];
    return events([
      {
        type: "message_start",
        message: { ...message, content: [], stop_reason: null },
      },
      { type: "content_block_start", index: 0, content_block: start },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason, stop_sequence: null },
        usage,
      },
      { type: "message_stop" },
    ], true);
  },
};

const CHAT: Dialect = {
  read: ({ tools = [], messages = [] }) => {
    const names: string[] = tools.map((tool: Json) =>
      tool.function?.name ?? tool.name
    );
    const results: string[] = messages.filter(({ role }: Json) =>
      role === "tool"
    )
      .map(({ content }: Json) => textOf(content));
    if (!names.includes("tool_search")) return { tools: names, results };
    // Qwen shows names only; a tool is called once its schema was looked at.
    const hidden = JSON.stringify(messages).match(/mcp__\w+/g) ?? [];
    const isSeen = results.length > 0;
    return {
      tools: [...names, ...new Set(hidden)],
      results: results.slice(1),
      wrap: (name, args) =>
        isSeen
          ? { name: "tool_call", args: { name, arguments: args } }
          : { name: "tool_search", args: { query: `select:${hidden.join()}` } },
    };
  },
  write({ call, id }, { stream, model }) {
    const message = call === undefined
      ? { role: "assistant", content: DONE }
      : {
        role: "assistant",
        content: null,
        tool_calls: [{
          index: 0,
          id,
          type: "function",
          function: { name: call.name, arguments: JSON.stringify(call.args) },
        }],
      };
    const finish_reason = call === undefined ? "stop" : "tool_calls";
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 10,
      total_tokens: 20,
    };
    const base = { id: `c_${id}`, created: 1, model };
    if (stream !== true) {
      return Response.json({
        ...base,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason }],
        usage,
      });
    }
    const chunk = { ...base, object: "chat.completion.chunk" };
    return events([
      {
        ...chunk,
        choices: [{ index: 0, delta: message, finish_reason: null }],
      },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
      "[DONE]",
    ], false);
  },
};

const RESPONSES: Dialect = {
  read: ({ tools = [], input = [] }) => ({
    tools: tools.flatMap((tool: Json) =>
      tool.type === "namespace"
        ? tool.tools.map((one: Json) => `${tool.name}.${one.name}`)
        : [tool.name ?? tool.type]
    ),
    results: (Array.isArray(input) ? input : [])
      .filter(({ type }: Json) => type === "function_call_output")
      .map(({ output }: Json) => textOf(output)),
  }),
  write({ call, id }, { stream }) {
    const [namespace, name] = call?.name.includes(".")
      ? [
        call.name.slice(0, call.name.lastIndexOf(".")),
        call.name.slice(call.name.lastIndexOf(".") + 1),
      ]
      : [undefined, call?.name];
    const item = call === undefined
      ? {
        id: `m_${id}`,
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: DONE, annotations: [] }],
      }
      : {
        id: `f_${id}`,
        type: "function_call",
        status: "completed",
        call_id: id,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        arguments: JSON.stringify(call.args),
      };
    const response = {
      id: `r_${id}`,
      object: "response",
      status: "completed",
      output: [item],
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 10,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 20,
      },
    };
    if (stream !== true) return Response.json(response);
    return events([
      {
        type: "response.created",
        response: { ...response, status: "in_progress", output: [] },
      },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ], true);
  },
};

const GEMINI: Dialect = {
  read: ({ tools = [], contents = [] }) => ({
    tools: tools.flatMap(({ functionDeclarations = [] }: Json) =>
      functionDeclarations.map(({ name }: Json) => name)
    ),
    results: contents.flatMap(({ parts = [] }: Json) =>
      parts.filter((part: Json) => part.functionResponse !== undefined)
        .map((part: Json) => textOf(part.functionResponse.response))
    ),
  }),
  write({ call }, _body, path) {
    const part = call === undefined
      ? { text: DONE }
      : { functionCall: { name: call.name, args: call.args } };
    const answer = {
      candidates: [{
        content: { role: "model", parts: [part] },
        finishReason: "STOP",
        index: 0,
      }],
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 10,
        totalTokenCount: 20,
      },
    };
    return path.includes("stream")
      ? events([answer], false)
      : Response.json(answer);
  },
};
