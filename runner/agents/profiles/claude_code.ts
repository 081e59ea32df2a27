/**
 * Claude Code, through its adapter.
 *
 * @module
 */
import { jsonAt } from "../acp/peer.ts";
import type { Profile } from "../acp/profile.ts";
import { limitsOfClaude, usageOfResult } from "../acp/usage.ts";
import type { HookForm } from "../hooks.ts";
import { hookLists } from "./hook_forms.ts";

const EVENTS: HookForm["events"] = {
  session_start: "SessionStart",
  session_end: "SessionEnd",
  pre_tool_call: "PreToolUse",
  post_tool_call: "PostToolUse",
  notification: "Notification",
};
const SECOND_MS = 1_000;

/** The profile. */
export const CLAUDE_CODE: Profile = {
  name: "claude_code",
  argv: ["claude-agent-acp"],
  package: {
    name: "@agentclientprotocol/claude-agent-acp",
    version: "0.101.0",
    bin: "claude-agent-acp",
    licence: "Apache-2.0; brings Anthropic's agent SDK, which is proprietary",
    megabytes: 400,
    runsInDeno: true,
    needsScript: false,
  },
  variables: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_EXECUTABLE",
  ],
  env: () => ({
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Its own scheduler would wake what we have put to rest.
    CLAUDE_CODE_DISABLE_CRON: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  files: [],
  authMethod: null,
  // It starts in `auto`, which does not ask.
  askingMode: "default",
  skillsFolder: ".claude/skills",
  hooks: {
    events: EVENTS,
    heedsMatcherAt: Object.keys(EVENTS),
    // Settings of this conversation, beside those of home and repository.
    tell: (hooks) => ({
      meta: {
        claudeCode: {
          options: { settings: { hooks: hookLists(hooks, EVENTS, SECOND_MS) } },
        },
      },
    }),
  },
  modelBy: "option",
  meta: {
    claudeCode: {
      options: {
        promptSuggestions: false,
        strictMcpConfig: true,
        allowedTools: ["mcp__rootcellar"],
      },
      emitRawSDKMessages: [
        { type: "result" },
        { type: "rate_limit_event" },
        { type: "system", subtype: "init" },
      ],
    },
  },
  // It would stand in the arguments of the process that the adapter starts.
  expandsVariables: true,
  isOwnTool: ({ request, known }) =>
    [jsonAt(request, "toolCall").name, known.name].some((name) =>
      String(name).startsWith("mcp__rootcellar__")
    ),
  readUsage: (source) => usageOfResult(source),
  readLimits: limitsOfClaude,
  loginFiles: [".claude/.credentials.json", ".claude.json"],
  loginVariables: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
  ],
};
