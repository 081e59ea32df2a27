/**
 * `deno task test:agents [--filter NAME]`: Claude Code, Codex, opencode and
 * Qwen Code,
 * each in the version of its profile, installed by `runner install` and put
 * through what every agent is.
 *
 * Opt-in: they take more than a gigabyte, in `tests/clients/agents/runner`.
 *
 * @module
 */
import { equal } from "node:assert/strict";
import type { Profile } from "../../runner/agents/acp/profile.ts";
import { installFolder } from "../../runner/agents/find_agents.ts";
import { CLAUDE_CODE } from "../../runner/agents/profiles/claude_code.ts";
import { CODEX } from "../../runner/agents/profiles/codex.ts";
import { OPENCODE } from "../../runner/agents/profiles/opencode.ts";
import { QWEN } from "../../runner/agents/profiles/qwen.ts";
import { mainFolder, runVerb } from "../support/process.ts";
import { type RealAgent, runTurns } from "./acp_turns.ts";

const FOLDER = mainFolder("tests/clients/agents/runner");

const AGENTS: readonly Omit<RealAgent, "modules">[] = [
  {
    profile: CLAUDE_CODE,
    env: (model) => ({
      ANTHROPIC_API_KEY: "scripted",
      ANTHROPIC_BASE_URL: model,
    }),
  },
  {
    profile: CODEX,
    stays: true,
    env: () => ({ OPENAI_API_KEY: "scripted" }),
    files: (model) => ({
      ".codex/config.toml": [
        'model = "scripted"',
        'model_provider = "scripted"',
        "",
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${model}/v1"`,
        'wire_api = "responses"',
        'env_key = "OPENAI_API_KEY"',
        "",
      ].join("\n"),
    }),
  },
  {
    profile: OPENCODE,
    tellsLastRequest: true,
    env: () => ({}),
    files: (model) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${model}/v1`, apiKey: "x" },
            models: { scripted: { tool_call: true } },
          },
        },
        model: "scripted/scripted",
      }),
    }),
  },
  {
    profile: QWEN,
    env: (model) => ({
      OPENAI_API_KEY: "scripted",
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_MODEL: "scripted",
    }),
  },
];

for (const agent of AGENTS) {
  const { name } = agent.profile;
  Deno.test(`${name} runs turns, calls our tools, runs hooks, is killed and goes on, is interrupted, and archives itself`, async (t) => {
    await runTurns(t, { ...agent, modules: await install(agent.profile) });
  });
}

/** As people install it; at once where this version is there. */
async function install(profile: Profile): Promise<string> {
  const modules = `${installFolder(`${FOLDER}/agents`, profile)}/node_modules`;
  const manifest = `${modules}/${profile.package?.name}/package.json`;
  const version = await Deno.readTextFile(manifest)
    .then((text) => JSON.parse(text).version, () => undefined);
  if (version !== profile.package?.version) {
    const { code, stderr } = await runVerb(
      ["runner", "install", profile.name, "--yes", "--folder", FOLDER],
      Deno.env.toObject(), // With the machine's certificates and proxies.
    );
    equal(code, 0, stderr);
  }
  return modules;
}
