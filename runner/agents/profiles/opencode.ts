/**
 * opencode.
 *
 * @module
 */
import { pathToFileURL } from "node:url";
import { type Json, jsonAt } from "../acp/peer.ts";
import type { Permission, Profile } from "../acp/profile.ts";
import { usageOfResult } from "../acp/usage.ts";
import { OPENCODE_EVENTS, pluginOf } from "./opencode_hooks.ts";

const PLUGIN_FILE = "rootcellar_hooks.js";

/** The profile. */
export const OPENCODE: Profile = {
  name: "opencode",
  argv: ["opencode", "acp"],
  package: {
    name: "opencode-ai",
    version: "1.18.33",
    bin: "opencode",
    licence: "MIT",
    megabytes: 360,
    runsInDeno: false,
    needsScript: true,
  },
  variables: [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "OPENCODE_CONFIG",
  ],
  env: (permission) => ({
    OPENCODE_CONFIG_CONTENT: configOf(permission),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
  }),
  files: [],
  authMethod: null,
  askingMode: null,
  skillsFolder: ".opencode/skills",
  hooks: {
    events: OPENCODE_EVENTS,
    heedsMatcherAt: ["pre_tool_call", "post_tool_call"],
    tell: (hooks, { folder, permission }) => ({
      files: [{ path: PLUGIN_FILE, text: pluginOf(hooks) }],
      env: {
        OPENCODE_CONFIG_CONTENT: configOf(permission, {
          plugin: [pathToFileURL(`${folder}/${PLUGIN_FILE}`).href],
        }),
      },
    }),
  },
  modelBy: "option",
  meta: null,
  expandsVariables: false,
  isOwnTool: ({ request, known }) =>
    [jsonAt(request, "toolCall").title, known.title].some((title) =>
      String(title).startsWith("rootcellar_")
    ),
  // Its answer counts the last request alone.
  readUsage: (source) =>
    usageOfResult(source).map((row) => ({ ...row, is_partial: true })),
  readLimits: () => null,
  loginFiles: [".local/share/opencode/auth.json"],
  loginVariables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"],
};

function configOf(permission: Permission, more: Json = {}): string {
  const mode = permission === "all" ? "allow" : "ask";
  return JSON.stringify({
    permission: { bash: mode, edit: mode },
    autoupdate: false,
    share: "disabled",
    ...more,
  });
}
