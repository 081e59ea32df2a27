import { equal, throws } from "node:assert/strict";
import { CLIENT_NAMES } from "../../mcp/mod.ts";
import { clientFile } from "./client_file.ts";

const FILES = {
  claude: "/project/.mcp.json",
  codex: "/home/u/.codex/config.toml",
  gemini: "/home/u/.gemini/settings.json",
  qwen: "/home/u/.qwen/settings.json",
  opencode: "/home/u/.config/opencode/opencode.json",
  pi: "/home/u/.pi/agent/mcp.json",
  copilot: "/home/u/.copilot/mcp-config.json",
  cline: "/home/u/.cline/data/settings/cline_mcp_settings.json",
  continue: "/home/u/.continue/config.yaml",
  vscode: "/project/.vscode/mcp.json",
  cursor: "/home/u/.cursor/mcp.json",
  "claude-desktop": "/home/u/.config/Claude/claude_desktop_config.json",
  zed: "/home/u/.config/zed/settings.json",
};

function machine(
  env: Readonly<Record<string, string>>,
  os: typeof Deno.build.os = "linux",
) {
  return {
    os,
    env: new Map(Object.entries(env)),
    inProject: (path: string) => `/project/${path}`,
  };
}

Deno.test("each client's own file is where the client looks", () => {
  for (const client of CLIENT_NAMES) {
    equal(clientFile(client, machine({ HOME: "/home/u" })), FILES[client]);
  }
});

Deno.test("files lie where the platform, or the client's variable, has them", () => {
  const table = [
    ["codex", { HOME: "/h", CODEX_HOME: "/c" }, "linux", "/c/config.toml"],
    ["copilot", { COPILOT_HOME: "/c" }, "linux", "/c/mcp-config.json"],
    ["zed", { XDG_CONFIG_HOME: "/x" }, "linux", "/x/zed/settings.json"],
    [
      "claude-desktop",
      { HOME: "/h" },
      "darwin",
      "/h/Library/Application Support/Claude/claude_desktop_config.json",
    ],
    ["zed", { HOME: "/h" }, "darwin", "/h/.config/zed/settings.json"],
    ["zed", { APPDATA: "/roaming" }, "windows", "/roaming/Zed/settings.json"],
    ["cursor", { USERPROFILE: "/p" }, "windows", "/p/.cursor/mcp.json"],
  ] as const;
  for (const [client, env, os, path] of table) {
    equal(clientFile(client, machine(env, os)), path);
  }
});

Deno.test("without a home the file must be named", () => {
  throws(() => clientFile("gemini", machine({})), /name it with --write FILE/);
});
