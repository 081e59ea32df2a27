/**
 * Gemini CLI.
 *
 * @module
 */
import { jsonAt } from "../acp/peer.ts";
import type { Profile } from "../acp/profile.ts";
import { usageOfResult } from "../acp/usage.ts";
import { GEMINI_HOOKS, HOOKS_EXTENSION } from "./gemini_hooks.ts";

/** The profile. */
export const GEMINI: Profile = {
  name: "gemini",
  argv: ["gemini", "--acp"],
  package: {
    name: "@google/gemini-cli",
    version: "0.61.0",
    bin: "gemini",
    licence: "Apache-2.0",
    megabytes: 150,
    runsInDeno: true,
    needsScript: false,
  },
  variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
  env: () => ({
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    // Else it starts itself once more, and signals reach only the first.
    GEMINI_CLI_NO_RELAUNCH: "true",
  }),
  files: [{
    path: ".gemini/settings.json",
    text: `${
      JSON.stringify(
        {
          security: { auth: { selectedType: "gemini-api-key" } },
          general: { enableAutoUpdate: false },
          privacy: { usageStatisticsEnabled: false },
        },
        null,
        2,
      )
    }\n`,
  }, ...HOOKS_EXTENSION],
  authMethod: "gemini-api-key",
  askingMode: "default",
  skillsFolder: ".gemini/skills",
  hooks: GEMINI_HOOKS,
  modelBy: "set_model",
  meta: null,
  expandsVariables: false,
  isOwnTool: ({ request }) => {
    const { title, toolCallId } = jsonAt(request, "toolCall");
    return String(toolCallId).startsWith("mcp_rootcellar_") ||
      String(title).endsWith("(rootcellar MCP Server)");
  },
  readUsage: (source) => usageOfResult(source, { cacheInInput: true }),
  readLimits: () => null,
  loginFiles: [".gemini/oauth_creds.json"],
  loginVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
};
