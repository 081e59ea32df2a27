/**
 * `start_session`: starts a session of an agent root.
 *
 * @module
 */
import { startSession } from "../../../fleet/mod.ts";
import {
  SCHEDULING_CLASSES,
  SESSION_STATUSES,
} from "../../../store/sessions/mod.ts";
import { fleetCallerOf } from "../../caller/fleet_caller.ts";
import { fleetOf } from "../../fleet.ts";
import { md } from "../../markdown/inline.ts";
import { receipt } from "../../markdown/document.ts";
import {
  COUNT,
  FLAG,
  inputOf,
  listOf,
  objectOf,
  orNull,
  TEXT,
  wordOf,
} from "../../schema.ts";
import { defineTool, Written } from "../tool.ts";
import { statusOf, turnOf } from "./receipt.ts";

const LIST = { type: "array", items: { type: "string" } } as const;

/** The tool. */
export const startSessionTool = defineTool({
  name: "start_session",
  title: "Start a session",
  access: "write",
  description:
    "Starts a session of an agent root; with a prompt a turn is queued at once, without one it waits for a follow_up. Lists left out take the root's defaults, [] means none. Safe to retry only with idempotency_key, a fresh UUID for each piece of work: the same key always answers with the session it made first, whatever else is passed, and starts nothing twice. Without a key, look with quick_search_sessions before you try again. Pass parent_session_id (your own id) so that the new session sees where it comes from.",
  isDestructive: false,
  isIdempotent: false,
  input: inputOf({
    agent_root: {
      type: "string",
      description: "Agent root, as get_configs lists it; or git_root",
    },
    git_root: { type: "string", description: "Address of a repository" },
    branch: { type: "string", description: "Branch to start from" },
    subdirectory: {
      type: "string",
      description: "Folder inside the repository",
    },
    agent_runtime: {
      type: "string",
      description: "The agent that runs it; the root's by default",
    },
    config: {
      type: "object",
      properties: { model: { type: "string" } },
      required: [],
      additionalProperties: false,
      description: "model: the root's or the agent's by default",
    },
    prompt: {
      type: "string",
      description: "What it is to do, 500,000 characters at most",
    },
    title: { type: "string", description: "1 to 100 characters" },
    slug: {
      type: "string",
      description: "Name in addresses: lowercase letters, digits and -",
    },
    goal: {
      type: "string",
      description:
        "What is to be reached: an id of get_configs, or a sentence of your own",
    },
    mcp_servers: { ...LIST, description: "Exactly these MCP servers" },
    skills: { ...LIST, description: "Exactly these skills" },
    hooks: { ...LIST, description: "Exactly these hooks" },
    plugins: { ...LIST, description: "Exactly these plugins" },
    custom_metadata: {
      type: "object",
      description: "Data of your own, 32 KB at most; it can be searched",
    },
    parent_session_id: {
      type: "integer",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "The session that starts it: your own id",
    },
    scheduling_class: {
      type: "string",
      enum: SCHEDULING_CLASSES,
      description: "priority runs at once, spot when there is room",
    },
    precedence: {
      type: "integer",
      minimum: -1_000_000_000,
      maximum: 1_000_000_000,
      description:
        "Place among spot sessions, higher first; parent + 1, else 0",
    },
    place: {
      type: "string",
      enum: ["top_of_spot"],
      description: "In place of precedence: above all live spot sessions",
    },
    auto_compact_window: {
      type: "integer",
      minimum: 1,
      maximum: 1_000_000,
      description: "Tokens after which its agent compacts",
    },
    idempotency_key: {
      type: "string",
      description: "A fresh UUID: makes the call safe to retry",
    },
  }),
  output: objectOf({
    session_id: COUNT,
    title: TEXT,
    slug: orNull(TEXT),
    status: wordOf(SESSION_STATUSES),
    is_replay: FLAG,
    warnings: listOf(TEXT),
  }, { turn: COUNT }),
  async run({ connection, services }, args) {
    const { session, isReplay, turn, warnings } = await startSession(
      fleetOf(services),
      {
        agentRoot: args.agent_root,
        gitRoot: args.git_root,
        branch: args.branch,
        subdirectory: args.subdirectory,
        agentRuntime: args.agent_runtime,
        model: args.config?.model,
        prompt: args.prompt,
        title: args.title,
        slug: args.slug,
        goal: args.goal,
        mcpServers: args.mcp_servers,
        skills: args.skills,
        hooks: args.hooks,
        plugins: args.plugins,
        customMetadata: args.custom_metadata,
        parentSessionId: args.parent_session_id,
        schedulingClass: args.scheduling_class,
        precedence: args.precedence,
        place: args.place,
        autoCompactWindow: args.auto_compact_window,
        idempotencyKey: args.idempotency_key,
        drivenBy: "runner",
        withToken: false,
      },
      fleetCallerOf(connection),
    );
    const heading = isReplay
      ? md`Existing Session Returned (idempotency_key matched)`
      : md`Session Started Successfully`;
    const text = receipt(heading, [
      ["ID", session.id],
      ["Title", session.title],
      ["Status", statusOf(session)],
      ["Slug", session.slug ?? undefined],
      [
        "Turn",
        turnOf(turn) ??
          (isReplay
            ? "none is queued or under way"
            : "none: without a prompt it waits for a follow_up"),
      ],
      ...warnings.map((warning) => ["Warning", warning] as const),
    ]);
    return new Written(text.text, {
      session_id: session.id,
      title: session.title,
      slug: session.slug,
      status: session.status,
      is_replay: isReplay,
      warnings,
      ...(turn === undefined ? {} : { turn: turn.ordinal }),
    });
  },
});
