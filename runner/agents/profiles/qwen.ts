/**
 * Qwen Code.
 *
 * @module
 */
import { jsonAt } from "../acp/peer.ts";
import type { Profile } from "../acp/profile.ts";
import { readTokens, report, unknownUsage } from "../acp/usage.ts";
import type { HookForm } from "../hooks.ts";
import { hookLists } from "./hook_forms.ts";

const EVENTS: HookForm["events"] = {
  session_start: "SessionStart",
  session_end: "SessionEnd",
  pre_tool_call: "PreToolUse",
  post_tool_call: "PostToolUse",
  notification: "Notification",
};
/** Settings below everybody's own, and where the machine may have its own. */
const DEFAULTS_VARIABLE = "QWEN_CODE_SYSTEM_DEFAULTS_PATH";
const MACHINE_DEFAULTS = "/etc/qwen-code/system-defaults.json";
const SETTINGS_FILE = "settings.json";

/** The profile. */
export const QWEN: Profile = {
  name: "qwen",
  argv: ["qwen", "--acp"],
  package: {
    name: "@qwen-code/qwen-code",
    version: "0.24.4",
    bin: "qwen",
    licence: "Apache-2.0",
    megabytes: 120,
    // There it would not hear that it is to stop while its model speaks.
    runsInDeno: false,
    needsScript: false,
  },
  variables: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"],
  env: () => ({
    // Else it looks for MCP servers while it works, and tells its model in its
    // first words only of the tools that were found by then: of none of ours.
    QWEN_CODE_LEGACY_MCP_BLOCKING: "1",
  }),
  files: [{
    path: ".qwen/settings.json",
    text: `${
      JSON.stringify(
        {
          security: { auth: { selectedType: "openai" } },
          general: { enableAutoUpdate: false },
          // Each would ask the model once more after a turn.
          ui: { enableFollowupSuggestions: false },
          memory: {
            enableManagedAutoMemory: false,
            enableManagedAutoDream: false,
            enableAutoSkill: false,
          },
        },
        null,
        2,
      )
    }\n`,
  }],
  authMethod: null,
  // It starts in `auto`, which does not ask.
  askingMode: "default",
  skillsFolder: ".qwen/skills",
  hooks: {
    events: EVENTS,
    heedsMatcherAt: Object.keys(EVENTS),
    tell(hooks, { folder, env }) {
      const own = env[DEFAULTS_VARIABLE] ?? MACHINE_DEFAULTS;
      if (isThere(own)) {
        return `this machine has settings in ${own}, which would not hold any more`;
      }
      return {
        env: { [DEFAULTS_VARIABLE]: `${folder}/${SETTINGS_FILE}` },
        files: [{
          path: SETTINGS_FILE,
          // It takes a thousand and more for milliseconds, so all of ours.
          text: JSON.stringify({ hooks: hookLists(hooks, EVENTS, 1) }),
        }],
      };
    },
  },
  modelBy: "option",
  meta: null,
  expandsVariables: false,
  isOwnTool: ({ request }) =>
    [
      jsonAt(request, "_meta").toolName,
      jsonAt(request, "toolCall", "_meta").toolName,
    ].some((name) => String(name).startsWith("mcp__rootcellar__")),
  // One empty chunk a request tells what it took.
  readUsage: (source) => {
    const rows = source.updates.flatMap((update, n) => {
      const tokens = readTokens(jsonAt(update, "_meta", "usage"), {
        cacheInInput: true,
      });
      return tokens === undefined
        ? []
        : [report(`${source.key}:${n + 1}`, source.model, tokens)];
    });
    return rows.length > 0 ? rows : [unknownUsage(source)];
  },
  readLimits: () => null,
  loginFiles: [".qwen/oauth_creds.json"],
  loginVariables: ["OPENAI_API_KEY"],
};

function isThere(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
