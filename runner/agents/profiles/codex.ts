/**
 * Codex, through its adapter.
 *
 * @module
 */
import { isJson, type Json, jsonAt } from "../acp/peer.ts";
import type { Profile } from "../acp/profile.ts";
import { usageOfResult } from "../acp/usage.ts";
import type { HookForm } from "../hooks.ts";
import { hookLists } from "./hook_forms.ts";

const EVENTS: HookForm["events"] = {
  session_start: "SessionStart",
  // It tells of no end of a session over the protocol; a turn is one prompt.
  session_end: "Stop",
  pre_tool_call: "PreToolUse",
  post_tool_call: "PostToolUse",
};
const SECOND_MS = 1_000;

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
  hooks: {
    events: EVENTS,
    heedsMatcherAt: ["session_start", "pre_tool_call", "post_tool_call"],
    tell(hooks, { env }) {
      const config = parseConfig(env.CODEX_CONFIG);
      if (config === undefined || config.hooks !== undefined) {
        return "CODEX_CONFIG of the runner has hooks itself, or is no JSON object";
      }
      return {
        env: {
          CODEX_CONFIG: JSON.stringify({
            ...config,
            hooks: hookLists(hooks, EVENTS, SECOND_MS),
            // Else each is held back until a person has looked at it in a
            // terminal; the catalog's owner has put these here.
            bypass_hook_trust: true,
          }),
        },
      };
    },
  },
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

function parseConfig(text = "{}"): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
