/**
 * Agents from npm: how each is told where its model is, and run without a
 * person. How it reaches Rootcellar is what `connect --install` wrote.
 *
 * @module
 */
import { join } from "node:path";
import type { Client } from "../../mcp/mod.ts";

/** Where an agent is run. */
export interface Place {
  /** Its home, empty but for its settings. */
  readonly home: string;
  /** The folder that it works in. */
  readonly project: string;
  /** Address of its model. */
  readonly model: string;
}

/** An agent. */
export interface Agent {
  /** As `connect` calls it. */
  readonly client: Client;
  /** Its program in `node_modules/.bin`. */
  readonly program: string;
  /** Whether it needs a newer Node than the product does. */
  readonly needsNewNode?: boolean;
  /** Settings that say where its model is, by path; written before `connect`. */
  readonly settings?: (place: Place) => Readonly<Record<string, unknown>>;
  /** What is run before it, once. */
  readonly before?: (place: Place) => readonly string[];
  /** Its arguments. */
  readonly args: (place: Place) => readonly string[];
  /** Its environment. */
  readonly env: (place: Place) => Readonly<Record<string, string>>;
}

const TASK = "Follow the steps.";

/** The agents that npm has. */
export const AGENTS: readonly Agent[] = [
  {
    client: "claude",
    program: "claude",
    args: ({ project }) => [
      "-p",
      TASK,
      "--mcp-config",
      join(project, ".mcp.json"),
      "--strict-mcp-config",
      "--allowedTools",
      "mcp__rootcellar",
    ],
    env: ({ model }) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "sk-scripted",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
  },
  {
    client: "codex",
    program: "codex",
    settings: ({ home, model }) => ({
      [join(home, ".codex/config.toml")]: [
        'model = "scripted"',
        'model_provider = "scripted"',
        'approval_policy = "never"',
        "",
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${model}/v1"`,
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        "",
      ].join("\n"),
    }),
    args: () => ["exec", "--skip-git-repo-check", TASK],
    env: () => ({ SCRIPTED_KEY: "x" }),
  },
  {
    client: "gemini",
    program: "gemini",
    settings: ({ home }) => ({
      [join(home, ".gemini/settings.json")]: {
        security: { auth: { selectedType: "gemini-api-key" } },
      },
    }),
    args: () => ["-m", "gemini-2.5-flash", "--yolo", "-p", TASK],
    env: ({ model }) => ({
      GEMINI_API_KEY: "x",
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
  },
  {
    client: "qwen",
    program: "qwen",
    args: () => ["--auth-type", "openai", "--yolo", "-p", TASK],
    env: ({ model }) => ({
      OPENAI_API_KEY: "x",
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_MODEL: "scripted",
    }),
  },
  {
    client: "opencode",
    program: "opencode",
    settings: ({ home, model }) => ({
      [join(home, ".config/opencode/opencode.json")]: {
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${model}/v1`, apiKey: "x" },
            models: { scripted: { tool_call: true } },
          },
        },
        model: "scripted/scripted",
      },
    }),
    args: () => ["run", TASK],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1" }),
  },
  {
    client: "pi",
    program: "pi",
    needsNewNode: true,
    settings: ({ home, model }) => ({
      [join(home, ".pi/agent/models.json")]: {
        providers: {
          scripted: {
            baseUrl: `${model}/v1`,
            api: "openai-completions",
            apiKey: "x",
            models: [{ id: "scripted" }],
          },
        },
      },
    }),
    args: () => ["-p", "--model", "scripted/scripted", TASK],
    env: () => ({}),
  },
  {
    client: "copilot",
    program: "copilot",
    args: () => ["-p", TASK, "--allow-all-tools"],
    env: ({ model }) => ({
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: "x",
      COPILOT_MODEL: "scripted",
      COPILOT_AUTO_UPDATE: "false",
    }),
  },
  {
    client: "cline",
    program: "cline",
    before: ({ model }) => [
      ...["auth", "-p", "openai", "-k", "x", "-b", `${model}/v1`],
      ...["-m", "scripted"],
    ],
    args: () => ["--yolo", TASK],
    env: () => ({}),
  },
  {
    client: "continue",
    program: "cn",
    settings: ({ home, model }) => ({
      [join(home, ".continue/config.yaml")]: [
        "name: Local",
        "version: 1.0.0",
        "schema: v1",
        "models:",
        "  - name: scripted",
        "    provider: openai",
        "    model: scripted",
        `    apiBase: ${model}/v1`,
        "    apiKey: x",
        "    capabilities: [tool_use]",
        "",
      ].join("\n"),
    }),
    args: ({ home }) => [
      ...["-p", "--auto", "--config", join(home, ".continue/config.yaml")],
      TASK,
    ],
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: "0" }),
  },
];
