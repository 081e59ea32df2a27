/**
 * An agent for tests that speaks the Agent Client Protocol: no model, no
 * network but the MCP server it is given. The lines of the prompt say what it
 * does. What it knows of a conversation lies in `FAKE_AGENT_HOME`; what it can
 * do is told by `FAKE_AGENT_CAPS`, and how it is odd by `FAKE_AGENT_QUIRKS`.
 *
 * @module
 */
import {
  callTool,
  type Json,
  type McpEntry,
  send,
  write,
} from "./fake_agent_io.ts";

interface Conversation {
  readonly id: string;
  readonly turns: { readonly role: "user" | "agent"; readonly text: string }[];
  mode: string;
  model: string;
  cost: number;
  systemText?: string;
}

/** What a line of the prompt does. */
type Directive = (
  turn: Turn,
  words: string,
) => Promise<Json | void> | Json | void;

interface Turn {
  readonly conversation: Conversation;
  readonly said: string[];
  usage?: Json;
}

const home = Deno.env.get("FAKE_AGENT_HOME") ?? Deno.env.get("HOME") ?? ".";
const capabilities = (Deno.env.get("FAKE_AGENT_CAPS") ??
  "load,resume,close,systemPrompt,http,options").split(",");
const quirks = (Deno.env.get("FAKE_AGENT_QUIRKS") ?? "").split(",");
const conversations = new Map<string, Conversation>();
const waiting = new Map<number, (answer: Json) => void>();
const cancelled = new AbortController();
let cancelling = cancelled;
let servers: readonly McpEntry[] = [];
let nextId = 1_000;
let isStubborn = false;

const DIRECTIVES: Readonly<Record<string, Directive>> = {
  say(turn, words) {
    for (const word of words.match(/\S+\s*/g) ?? []) {
      turn.said.push(word);
      chunk(turn, "agent_message_chunk", word);
    }
  },
  think: (turn, words) => chunk(turn, "agent_thought_chunk", words),
  async tool(turn, words) {
    const [, name = "", json = "{}"] = /^(\S+)\s*(.*)$/.exec(words) ?? [];
    const id = `call_${nextId++}`;
    const call = {
      toolCallId: id,
      title: name,
      kind: "other",
      rawInput: JSON.parse(json),
    };
    if (!quirks.includes("no_tool_call")) {
      update(turn, { sessionUpdate: "tool_call", ...call, status: "pending" });
    }
    if (turn.conversation.mode === "ask") {
      const answer = await ask("session/request_permission", {
        sessionId: turn.conversation.id,
        toolCall: quirks.includes("id_only") ? { toolCallId: id } : call,
        options: [
          { optionId: "never", name: "Never", kind: "reject_always" },
          { optionId: "no", name: "No", kind: "reject_once" },
          { optionId: "always", name: "Always", kind: "allow_always" },
          { optionId: "yes", name: "Yes", kind: "allow_once" },
        ],
      });
      const { outcome } = answer.result as { outcome: Json };
      if (outcome.optionId !== "yes") {
        update(turn, {
          sessionUpdate: "tool_call_update",
          toolCallId: id,
          status: "failed",
        });
        return;
      }
    }
    const text = await callTool(servers, name, JSON.parse(json));
    update(turn, {
      sessionUpdate: "tool_call_update",
      toolCallId: id,
      status: "completed",
      content: [{ type: "content", content: { type: "text", text } }],
    });
  },
  async elicit(turn) {
    const answer = await ask("elicitation/create", {
      sessionId: turn.conversation.id,
      mode: "form",
      message: "Which?",
      requestedSchema: {
        type: "object",
        properties: { a: { type: "string" } },
      },
    });
    chunk(turn, "agent_message_chunk", JSON.stringify(answer.result));
  },
  usage(turn, words) {
    const [inputTokens = 0, outputTokens = 0] = words.split(" ").map(Number);
    turn.usage = { inputTokens, outputTokens, cachedReadTokens: 5 };
  },
  cost(turn, words) {
    turn.conversation.cost += Number(words);
    update(turn, {
      sessionUpdate: "usage_update",
      used: 10,
      size: 100,
      cost: { amount: turn.conversation.cost, currency: "USD" },
    });
  },
  wait: (_, words) => wait(Number(words)),
  hang: () => wait(2 ** 31 - 1),
  stop: (_, words) => ({ stopReason: words }),
  error(_, words) {
    const [code, kind] = words.split(" ");
    throw {
      code: Number(code),
      message: "It did not work",
      data: { errorKind: kind },
    };
  },
  limit(turn) {
    send({
      method: "_claude/sdkMessage",
      params: {
        sessionId: turn.conversation.id,
        message: {
          type: "rate_limit_event",
          rate_limit_info: {
            status: "rejected",
            rateLimitType: "five_hour",
            utilization: 1,
            resetsAt: Math.round(Date.now() / 1_000) + 600,
          },
        },
      },
    });
    throw { code: -32603, message: "Limit", data: { errorKind: "rate_limit" } };
  },
  crash: () => Deno.exit(9),
  die: () => Deno.kill(Deno.pid, "SIGKILL"),
  noise: () => write("this is no JSON\n"),
  unknown: (turn) =>
    update(turn, { sessionUpdate: "from_the_future", words: 1 }),
  recall: (turn) =>
    chunk(
      turn,
      "agent_message_chunk",
      `${turn.conversation.turns.length} turns`,
    ),
  mode: (turn) => chunk(turn, "agent_message_chunk", turn.conversation.mode),
  system: (turn) =>
    chunk(turn, "agent_message_chunk", turn.conversation.systemText ?? "none"),
  env: (turn, name) =>
    chunk(turn, "agent_message_chunk", Deno.env.get(name) ?? "unset"),
  argv: (turn) => chunk(turn, "agent_message_chunk", Deno.args.join(" ")),
  servers: (turn) =>
    chunk(turn, "agent_message_chunk", JSON.stringify(servers)),
  flood(turn, words) {
    for (let n = 1; n <= Number(words); n++) {
      chunk(turn, "agent_message_chunk", `${n}`);
    }
  },
  grandchild() {
    new Deno.Command("setsid", {
      args: ["sh", "-c", "trap '' TERM INT; sleep 60"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn().unref();
  },
  slowexit() {
    isStubborn = true;
    Deno.addSignalListener("SIGTERM", () => {});
    Deno.addSignalListener("SIGINT", () => {});
  },
};

function ask(method: string, params: Json): Promise<Json> {
  const id = nextId++;
  const { promise, resolve } = Promise.withResolvers<Json>();
  waiting.set(id, resolve);
  send({ id, method, params });
  return promise;
}

function update({ conversation }: Turn, changed: Json): void {
  send({
    method: "session/update",
    params: { sessionId: conversation.id, update: changed },
  });
}

function chunk(turn: Turn, sessionUpdate: string, text: string): void {
  update(turn, { sessionUpdate, content: { type: "text", text } });
}

async function wait(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  cancelling.signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}

function fileOf(id: string): string {
  return `${home}/fake-${id}.json`;
}

function save(conversation: Conversation): void {
  Deno.writeTextFileSync(fileOf(conversation.id), JSON.stringify(conversation));
}

function load(id: string): Conversation {
  try {
    return JSON.parse(Deno.readTextFileSync(fileOf(id)));
  } catch {
    throw { code: -32002, message: "Resource not found" };
  }
}

function optionsOf({ mode, model }: Conversation): readonly Json[] | undefined {
  if (!capabilities.includes("options")) return undefined;
  const option = (id: string, currentValue: string) => ({
    id,
    name: id,
    category: id,
    type: "select",
    currentValue,
  });
  return [option("mode", mode), option("model", model)];
}

async function runTurn(
  conversation: Conversation,
  text: string,
): Promise<Json> {
  const turn: Turn = { conversation, said: [] };
  cancelling = new AbortController();
  conversation.turns.push({ role: "user", text });
  save(conversation);
  let end: Json | void = undefined;
  for (const line of text.split("\n")) {
    if (cancelling.signal.aborted) break;
    const [, word = "", rest = ""] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
    end = await DIRECTIVES[word]?.(turn, rest) ?? end;
  }
  conversation.turns.push({ role: "agent", text: turn.said.join("") });
  save(conversation);
  const stopReason = cancelling.signal.aborted ? "cancelled" : "end_turn";
  if (text.includes("late")) {
    setTimeout(() => chunk(turn, "agent_message_chunk", "late"), 20);
  }
  return { stopReason, ...end, ...(turn.usage ? { usage: turn.usage } : {}) };
}

function begin(method: string, params: Json): Json {
  const conversation = method === "session/new"
    ? {
      id: crypto.randomUUID(),
      turns: [],
      mode: "free",
      model: "small",
      cost: 0,
      systemText: JSON.stringify(params.systemPrompt ?? null),
    }
    : load(String(params.sessionId));
  servers = params.mcpServers as readonly McpEntry[];
  conversations.set(conversation.id, conversation);
  save(conversation);
  if (method === "session/load") {
    for (const { role, text } of conversation.turns) {
      const name = role === "user"
        ? "user_message_chunk"
        : "agent_message_chunk";
      chunk({ conversation, said: [] }, name, text);
    }
  }
  return {
    ...(method === "session/new" ? { sessionId: conversation.id } : {}),
    configOptions: optionsOf(conversation),
  };
}

function initialize(): Json {
  const given = (name: string) =>
    capabilities.includes(name) ? { [name]: {} } : {};
  return {
    protocolVersion: capabilities.includes("v2") ? 2 : 1,
    agentInfo: { name: "fake-agent", version: "0" },
    agentCapabilities: {
      loadSession: capabilities.includes("load"),
      mcpCapabilities: { http: capabilities.includes("http") },
      sessionCapabilities: {
        ...given("resume"),
        ...given("close"),
        ...given("systemPrompt"),
      },
    },
    authMethods: [],
  };
}

async function handle(method: string, params: Json): Promise<unknown> {
  if (quirks.includes(`dies at ${method}`)) Deno.exit(9);
  if (quirks.includes(`mute at ${method}`)) await new Promise(() => {});
  const conversation = conversations.get(String(params.sessionId));
  switch (method) {
    case "initialize":
      return initialize();
    case "session/new":
    case "session/load":
    case "session/resume":
      if (quirks.includes("auth")) throw { code: -32000, message: "Log in" };
      return begin(method, params);
    case "session/set_config_option":
      if (conversation === undefined) break;
      if (params.configId === "mode") conversation.mode = String(params.value);
      else conversation.model = String(params.value);
      save(conversation);
      return { configOptions: optionsOf(conversation) };
    case "session/set_mode":
      if (conversation === undefined) break;
      conversation.mode = String(params.modeId);
      return {};
    case "session/prompt":
      if (conversation === undefined) break;
      return await runTurn(
        conversation,
        (params.prompt as Json[]).map(({ text }) => text ?? "").join("\n"),
      );
    case "session/close":
      return {};
  }
  throw { code: -32601, message: `Method not found: ${method}` };
}

function take(line: string): void {
  if (line.trim() === "") return;
  const { id, method, params, ...rest } = JSON.parse(line);
  if (method === undefined) {
    waiting.get(id)?.({ ...rest });
    return;
  }
  if (method === "session/cancel") return cancelling.abort();
  if (id === undefined) return;
  handle(method, params ?? {}).then(
    (result) => send({ id, result }),
    (error) =>
      send({
        id,
        error: error.code ? error : { code: -32603, message: String(error) },
      }),
  );
}

let rest = "";
for await (
  const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())
) {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  lines.forEach(take);
}
if (isStubborn) await new Promise(() => setInterval(() => {}, 1_000));
