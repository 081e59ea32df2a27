/**
 * opencode.
 *
 * @module
 */
import { jsonAt } from "../acp/peer.ts";
import type { Profile } from "../acp/profile.ts";
import { usageOfResult } from "../acp/usage.ts";

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
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      permission: permission === "all"
        ? { bash: "allow", edit: "allow" }
        : { bash: "ask", edit: "ask" },
      autoupdate: false,
      share: "disabled",
    }),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
  }),
  files: [],
  authMethod: null,
  askingMode: null,
  skillsFolder: ".opencode/skills",
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
