/**
 * Begins a conversation with an agent, or continues one: shakes hands, logs in,
 * sets mode and model, and sees that they hold.
 *
 * @module
 */
import type { AgentTask } from "../agent.ts";
import { isJson, type Json, jsonAt, type Peer, RpcError } from "./peer.ts";
import type { Profile } from "./profile.ts";

/** A conversation that can be prompted. */
export interface Conversation {
  /** The agent's name for it. */
  readonly id: string;
  /** The model that it has, where it says. */
  readonly model: string | null;
  /** What to say. */
  readonly promptBlocks: readonly Json[];
  /** Whether it can be closed. */
  readonly canClose: boolean;
}

/** What it takes. */
export interface OpenOptions {
  /** The agent. */
  readonly profile: Profile;
  /** The turn. */
  readonly task: AgentTask;
}

const PROTOCOL_VERSION = 1;
const AUTH_REQUIRED = -32000;

/** Opens it. @throws {RpcError | PeerClosedError} */
export async function openConversation(
  peer: Peer,
  { profile, task }: OpenOptions,
): Promise<Conversation> {
  const hello = await peer.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: "rootcellar", version: "1" },
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      session: {
        notices: {},
        compaction: {},
        configOptions: { boolean: {} },
      },
      elicitation: { form: {} },
    },
  });
  if (hello.protocolVersion !== PROTOCOL_VERSION) {
    throw new Error(
      `The agent speaks version ${
        JSON.stringify(hello.protocolVersion)
      } of the protocol, and 1 is needed`,
    );
  }
  const { agentCapabilities } = hello;
  if (jsonAt(agentCapabilities, "mcpCapabilities").http !== true) {
    task.emit("notice", {
      text:
        "The agent takes no MCP servers over HTTP: it works without Rootcellar's tools",
    });
  }
  const methods = Array.isArray(hello.authMethods) ? hello.authMethods : [];
  if (
    profile.authMethod !== null &&
    methods.some((one) => isJson(one) && one.id === profile.authMethod)
  ) await peer.request("authenticate", { methodId: profile.authMethod });
  const opened = await open(peer, { profile, task, agentCapabilities });
  task.named(opened.id);
  const settings = await configure(peer, { opened, profile, task });
  return {
    id: opened.id,
    model: settings.model,
    promptBlocks: blocksOf(opened, task),
    canClose: has(agentCapabilities, "sessionCapabilities", "close"),
  };
}

interface Opened {
  readonly id: string;
  /** What the agent answered. */
  readonly answer: Json;
  /** Whether there is no word of it yet. */
  readonly isNew: boolean;
  /** Whether the agent took what it must know as system text. */
  readonly hasSystemText: boolean;
}

async function open(peer: Peer, { profile, task, agentCapabilities }: {
  readonly profile: Profile;
  readonly task: AgentTask;
  readonly agentCapabilities: unknown;
}): Promise<Opened> {
  const { turn } = task;
  const place = {
    cwd: task.cwd,
    mcpServers: serversOf(profile, task),
    ...metaOf(profile, task),
  };
  const verb = has(agentCapabilities, "sessionCapabilities", "resume")
    ? "session/resume"
    : jsonAt({ agentCapabilities }, "agentCapabilities").loadSession === true
    ? "session/load"
    : undefined;
  if (turn.conversation_id !== null) {
    const id = turn.conversation_id;
    try {
      if (verb === undefined) throw new Error("It continues no conversations");
      const answer = await peer.request(verb, { sessionId: id, ...place });
      return { id, answer, isNew: false, hasSystemText: true };
    } catch (error) {
      // Whatever number it answers with: this one is not to be had again.
      const isAuth = error instanceof RpcError && error.code === AUTH_REQUIRED;
      if (!(error instanceof RpcError) && verb !== undefined || isAuth) {
        throw error;
      }
      task.emit("notice", {
        text: `Conversation ${id} could not be continued (${
          error instanceof Error ? error.message.slice(0, 200) : "no words"
        }): a new one begins here, with a recap`,
        is_break: true,
      });
    }
  } else if (turn.recap !== "") {
    task.emit("notice", {
      text: "A new conversation begins here, with a recap of what was said",
      is_break: true,
    });
  }
  const hasSystemText = has(
    agentCapabilities,
    "sessionCapabilities",
    "systemPrompt",
  );
  const answer = await peer.request("session/new", {
    ...place,
    ...(hasSystemText
      ? {
        systemPrompt: {
          mode: "append",
          content: [{ type: "text", text: turn.system_text }],
        },
      }
      : {}),
  });
  const id = String(answer.sessionId);
  return { id, answer, isNew: true, hasSystemText };
}

/** What the profile wants, and what tells of hooks, together. */
function metaOf({ meta }: Profile, { toldHooks }: AgentTask): Json {
  if (meta === null && toldHooks.meta === undefined) return {};
  return { _meta: merged(meta ?? {}, toldHooks.meta ?? {}) };
}

function merged(one: Json, other: Json): Json {
  const both = { ...one, ...other };
  for (const [name, value] of Object.entries(other)) {
    const mine = one[name];
    if (isJson(mine) && isJson(value)) both[name] = merged(mine, value);
  }
  return both;
}

/** After each begin and each resume: some agents forget what was set. */
async function configure(
  peer: Peer,
  { opened, profile, task }: {
    readonly opened: Opened;
    readonly profile: Profile;
    readonly task: AgentTask;
  },
): Promise<{ readonly model: string | null }> {
  const { id: sessionId, answer } = opened;
  let options = answer.configOptions;
  const set = async (category: string, value: string): Promise<boolean> => {
    const option = optionOf(options, category);
    if (option === undefined) return false;
    if (option.currentValue !== value) {
      const changed = await peer.request("session/set_config_option", {
        sessionId,
        configId: option.id,
        value,
      });
      options = changed.configOptions ?? options;
    }
    return optionOf(options, category)?.currentValue === value;
  };
  const { askingMode, modelBy } = profile;
  if (askingMode !== null && !await set("mode", askingMode)) {
    // The older way; agents without options have only this one.
    try {
      await peer.request("session/set_mode", { sessionId, modeId: askingMode });
    } catch (error) {
      // Where everything is allowed, nothing hangs on being asked.
      if (!(error instanceof RpcError) || task.turn.permission !== "all") {
        throw error;
      }
      task.emit("notice", {
        text: `The agent has no mode "${askingMode}", in which it asks`,
      });
    }
  }
  const { model } = task.turn;
  if (model === null) {
    const current = optionOf(options, "model")?.currentValue;
    return { model: typeof current === "string" ? current : null };
  }
  if (modelBy === "set_model") {
    await peer.request("session/set_model", { sessionId, modelId: model });
  } else if (modelBy === "none" || !await set("model", model)) {
    task.emit("notice", {
      text: `The agent did not take the model "${model.slice(0, 100)}"`,
    });
    return { model: null };
  }
  return { model };
}

function optionOf(options: unknown, category: string): Json | undefined {
  return Array.isArray(options)
    ? options.filter(isJson).find((one) =>
      one.category === category || one.id === category
    )
    : undefined;
}

function serversOf(profile: Profile, task: AgentTask): readonly Json[] {
  const token = profile.expandsVariables
    ? "${ROOTCELLAR_TOKEN}"
    : task.turn.token;
  const pairs = (given: Readonly<Record<string, string>>) =>
    Object.entries(given).map(([name, value]) => ({ name, value }));
  return [
    {
      type: "http",
      name: "rootcellar",
      url: task.mcpUrl,
      headers: pairs({ Authorization: `Bearer ${token}` }),
    },
    ...task.mcpServers.map((server) =>
      server.type === "http"
        ? {
          type: "http",
          name: server.name,
          url: server.url,
          headers: pairs(server.headers),
        }
        : {
          name: server.name,
          command: server.command[0] ?? "",
          args: server.command.slice(1),
          env: pairs(server.env),
        }
    ),
  ];
}

function blocksOf(
  { isNew, hasSystemText }: Opened,
  { turn }: AgentTask,
): readonly Json[] {
  const texts = [
    isNew && !hasSystemText ? turn.system_text : "",
    isNew ? turn.recap : "",
    turn.cause ?? "",
    turn.prompt,
  ];
  return texts.filter((text) => text !== "")
    .map((text) => ({ type: "text", text }));
}

function has(value: unknown, ...names: readonly string[]): boolean {
  const last = names.at(-1) ?? "";
  const found = jsonAt(value, ...names.slice(0, -1))[last];
  return found !== undefined && found !== null && found !== false;
}
