/**
 * Hooks for opencode, which has plugins in JavaScript instead: one that runs
 * the hooks' programs, with what happened as JSON on their standard input, as
 * other agents do. Exit code 2 before a tool refuses the call, and what the
 * program wrote to standard error says why.
 *
 * @module
 */
import type { HookForm, PlacedHook } from "../hooks.ts";

/** Moments, by the plugin's own names for them. */
export const OPENCODE_EVENTS: HookForm["events"] = {
  session_start: "session_start",
  session_end: "session_end",
  pre_tool_call: "pre_tool_call",
  post_tool_call: "post_tool_call",
};

/** The text of the plugin. */
export function pluginOf(hooks: readonly PlacedHook[]): string {
  return `const HOOKS = ${JSON.stringify(hooks)};\n${PLUGIN}`;
}

/** A process is one turn: its first prompt begins it, its rest ends it. */
const PLUGIN = `
import { spawn } from "node:child_process";

const STANDARD_TIMEOUT_MS = 60_000;
const DENIED_CODE = 2;

function run({ program, timeoutMs }, directory, input) {
  return new Promise((resolve) => {
    const child = spawn(program, [], {
      cwd: directory,
      stdio: ["pipe", "ignore", "pipe"],
      timeout: timeoutMs ?? STANDARD_TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    let words = "";
    child.stderr.on("data", (data) => words += data);
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(input));
    child.on("error", () => resolve({ code: null, words }));
    child.on("close", (code) => resolve({ code, words }));
  });
}

export const RootcellarHooks = async ({ directory }) => {
  let hasBegun = false;
  const at = async (event, tool, input) => {
    for (const hook of HOOKS) {
      if (hook.event !== event) continue;
      if (hook.matcher !== null && !new RegExp(hook.matcher).test(tool)) continue;
      const { code, words } = await run(hook, directory, {
        hook_event_name: event,
        cwd: directory,
        ...input,
      });
      if (code === DENIED_CODE && event === "pre_tool_call") {
        throw new Error(words.trim() || "A hook refuses this call");
      }
    }
  };
  return {
    "chat.message": async ({ sessionID }) => {
      if (hasBegun) return;
      hasBegun = true;
      await at("session_start", "", { session_id: sessionID });
    },
    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      await at("pre_tool_call", tool, {
        session_id: sessionID,
        tool_name: tool,
        tool_input: args,
      });
    },
    "tool.execute.after": async ({ tool, sessionID, args }, { output }) => {
      await at("post_tool_call", tool, {
        session_id: sessionID,
        tool_name: tool,
        tool_input: args,
        tool_response: output,
      });
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return;
      await at("session_end", "", { session_id: event.properties.sessionID });
    },
  };
};
`;
