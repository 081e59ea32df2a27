/**
 * Codex, through its adapter.
 *
 * @module
 */
import { jsonAt } from "../acp/peer.ts";
import type { Profile } from "../acp/profile.ts";
import { usageOfResult } from "../acp/usage.ts";

/** The profile. */
export const CODEX: Profile = {
  name: "codex",
  argv: ["codex-acp"],
  package: {
    name: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    bin: "codex-acp",
    licence: "Apache-2.0",
    megabytes: 460,
    runsInDeno: true,
    needsScript: false,
  },
  variables: [
    "OPENAI_API_KEY",
    "CODEX_API_KEY",
    "CODEX_HOME",
    "CODEX_CONFIG",
    "CODEX_PATH",
    "MODEL_PROVIDER",
  ],
  env: () => ({ NO_BROWSER: "1" }),
  files: [],
  authMethod: null,
  // It starts in `agent`, in which a model decides.
  askingMode: "workspace-write",
  // Forgotten when a conversation is continued: set each time.
  skillsFolder: ".agents/skills",
  modelBy: "option",
  meta: null,
  expandsVariables: false,
  // It asks with the number of the call alone.
  isOwnTool: ({ known }) =>
    jsonAt(known, "rawInput").server === "rootcellar" ||
    String(known.title).startsWith("mcp.rootcellar."),
  readUsage: (source) => usageOfResult(source),
  readLimits: () => null,
  loginFiles: [".codex/auth.json"],
  loginVariables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
};
