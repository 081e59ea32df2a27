/**
 * What models are asked in the four dialects that agents speak, and how they
 * answer: with one tool call, or with words.
 *
 * @module
 */

/** A piece of a conversation, as far as a scripted model looks at it. */
export interface Entry {
  /** Words of the user, or the answer of a tool. */
  readonly kind: "said" | "result";
  readonly text: string;
}

/** What a request says, whatever the dialect. */
export interface Asked {
  /** Names of tools, as the agent calls them. */
  readonly tools: readonly string[];
  /** The conversation, oldest first. */
  readonly entries: readonly Entry[];
  /** Turns a call into the one that the agent takes for a tool it hides. */
  readonly wrap?: (name: string, args: object) => Call;
}

/** A call of a tool. */
export interface Call {
  readonly name: string;
  readonly args: object;
}

/** What a model says: calls a tool, or else speaks. */
export interface Answer {
  /** Tells this call from others. */
  readonly id: string;
  readonly call?: Call | undefined;
  readonly text: string;
  /** Whether a stream is to have its beginning only. @default {false} */
  readonly isBegun?: boolean;
}

// deno-lint-ignore no-explicit-any -- requests of nine programs
type Json = any;

/** A dialect: how a request is read, and how an answer is written. */
export interface Dialect {
  readonly read: (body: Json) => Asked;
  readonly write: (answer: Answer, body: Json, path: string) => Response;
}

const TOKENS = { input: 1_500, output: 25, total: 1_525 };
/** What Claude Code tells its model beside the user's words. */
const REMINDER_REGEXP = /^\s*<system-reminder>/;

/** The dialect of an address. */
export function dialectOf(path: string): Dialect | undefined {
  if (path.endsWith("/messages")) return ANTHROPIC;
  if (path.endsWith("/chat/completions")) return CHAT;
  if (path.endsWith("/responses")) return RESPONSES;
  if (path.includes("enerateContent")) return GEMINI;
  return undefined;
}

/** What tools answered, oldest first. */
export function resultsOf({ entries }: Asked): readonly string[] {
  return entries.filter(({ kind }) => kind === "result")
    .map(({ text }) => text);
}

/** The call of a tool by its own name; undefined where it is not shown. */
export function callOf(
  { tools, wrap }: Asked,
  tool: string,
  args: object,
): Call | undefined {
  const name = tools.find((one) =>
    one === tool ||
    one.endsWith(tool) && /[-_.]$/.test(one.slice(0, -tool.length))
  );
  return name === undefined ? undefined : wrap?.(name, args) ?? { name, args };
}

/** What is answered before any dialect is needed; undefined where one is. */
export function answerPlain(request: Request): Response | undefined {
  const { pathname } = new URL(request.url);
  if (request.method !== "POST") {
    return Response.json({ object: "list", data: [{ id: "scripted" }] });
  }
  if (pathname.endsWith("count_tokens") || pathname.includes("countTokens")) {
    return Response.json({ input_tokens: 10, totalTokens: 10 });
  }
  return dialectOf(pathname) === undefined ? Response.json({}) : undefined;
}

function said(text: unknown): readonly Entry[] {
  return typeof text !== "string" || REMINDER_REGEXP.test(text)
    ? []
    : [{ kind: "said", text }];
}

/** Found tools are no answer to what was asked for. */
function resultOf({ content }: Json): readonly Entry[] {
  return Array.isArray(content) &&
      content.some(({ type }: Json) => type === "tool_reference")
    ? []
    : [result(content)];
}

/** Tools that words name, each once. */
function namesIn(messages: Json): readonly string[] {
  return [...new Set(JSON.stringify(messages).match(/mcp__\w+/g) ?? [])];
}

function result(value: Json): Entry {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { kind: "result", text };
}

function events(
  list: readonly Json[],
  { isNamed, first }: {
    readonly isNamed: boolean;
    /** How many of them are sent. @default {all} */
    readonly first?: number | undefined;
  },
): Response {
  const text = list.slice(0, first).map((event) =>
    `${isNamed ? `event: ${event.type}\n` : ""}data: ${
      typeof event === "string" ? event : JSON.stringify(event)
    }\n\n`
  ).join("");
  return new Response(text, {
    headers: { "content-type": "text/event-stream" },
  });
}

const ANTHROPIC: Dialect = {
  read: ({ tools = [], messages = [] }) => {
    const names: string[] = tools.map((tool: Json) => tool.name);
    const entries: Entry[] = messages
      .filter(({ role }: Json) => role === "user")
      .flatMap(({ content }: Json) =>
        typeof content === "string" ? said(content) : content.flatMap((
          one: Json,
        ) => one.type === "tool_result" ? resultOf(one) : said(one.text))
      );
    // Claude Code shows names only, and a tool itself once it was looked for.
    const hidden = names.includes("ToolSearch")
      ? namesIn(messages).filter((name) => !names.includes(name))
      : [];
    return {
      tools: [...names, ...hidden],
      entries,
      wrap: (name, args) =>
        hidden.includes(name)
          ? { name: "ToolSearch", args: { query: `select:${name}` } }
          : { name, args },
    };
  },
  write({ call, id, text, isBegun }, { stream, model }) {
    const block = call === undefined
      ? { type: "text", text }
      : { type: "tool_use", id, name: call.name, input: call.args };
    const stop_reason = call === undefined ? "end_turn" : "tool_use";
    const usage = {
      input_tokens: TOKENS.input,
      output_tokens: TOKENS.output,
    };
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
      ? [{ type: "text", text: "" }, { type: "text_delta", text }]
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
    ], { isNamed: true, first: isBegun === true ? 3 : undefined });
  },
};

const CHAT: Dialect = {
  read: ({ tools = [], messages = [] }) => {
    const names: string[] = tools.map((tool: Json) =>
      tool.function?.name ?? tool.name
    );
    const entries: Entry[] = messages.flatMap(({ role, content }: Json) =>
      role === "tool"
        ? [result(content)]
        : role !== "user"
        ? []
        : [content].flat().flatMap((one: Json) => said(one?.text ?? one))
    );
    if (!names.includes("tool_search")) return { tools: names, entries };
    // Qwen shows names only; a tool is called once its schema was looked at.
    const hidden = namesIn(messages);
    const look = entries.findIndex(({ kind }) => kind === "result");
    const isSeen = look >= 0;
    return {
      tools: [...names, ...hidden],
      entries: entries.filter((_, n) => n !== look),
      wrap: (name, args) =>
        isSeen
          ? { name: "tool_call", args: { name, arguments: args } }
          : { name: "tool_search", args: { query: `select:${hidden.join()}` } },
    };
  },
  write({ call, id, text, isBegun }, { stream, model }) {
    const message = call === undefined
      ? { role: "assistant", content: text }
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
      prompt_tokens: TOKENS.input,
      completion_tokens: TOKENS.output,
      total_tokens: TOKENS.total,
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
    ], { isNamed: false, first: isBegun === true ? 1 : undefined });
  },
};

const RESPONSES: Dialect = {
  read: ({ tools = [], input = [] }) => ({
    tools: tools.flatMap((tool: Json) =>
      tool.type === "namespace"
        ? tool.tools.map((one: Json) => `${tool.name}.${one.name}`)
        : [tool.name ?? tool.type]
    ),
    entries: [input].flat().flatMap((one: Json) =>
      one.type === "function_call_output"
        ? [result(one.output)]
        : one.role !== "user"
        ? []
        : [one.content].flat().flatMap((part: Json) => said(part?.text ?? part))
    ),
  }),
  write({ call, id, text, isBegun }, { stream }) {
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
        content: [{ type: "output_text", text, annotations: [] }],
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
        input_tokens: TOKENS.input,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: TOKENS.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: TOKENS.total,
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
    ], { isNamed: true, first: isBegun === true ? 1 : undefined });
  },
};

const GEMINI: Dialect = {
  read: ({ tools = [], contents = [] }) => ({
    tools: tools.flatMap(({ functionDeclarations = [] }: Json) =>
      functionDeclarations.map(({ name }: Json) => name)
    ),
    entries: contents.filter(({ role }: Json) => role === "user")
      .flatMap(({ parts = [] }: Json) => parts)
      .flatMap((part: Json) =>
        part.functionResponse === undefined
          ? said(part.text)
          : [result(part.functionResponse.response)]
      ),
  }),
  write({ call, text, isBegun }, _body, path) {
    const part = call === undefined
      ? { text }
      : { functionCall: { name: call.name, args: call.args } };
    const candidate = { index: 0, content: { role: "model", parts: [part] } };
    const answer = isBegun === true ? { candidates: [candidate] } : {
      candidates: [{ ...candidate, finishReason: "STOP" }],
      usageMetadata: {
        promptTokenCount: TOKENS.input,
        candidatesTokenCount: TOKENS.output,
        totalTokenCount: TOKENS.total,
      },
    };
    return path.includes("stream")
      ? events([answer], { isNamed: false })
      : Response.json(answer);
  },
};
