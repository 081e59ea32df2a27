/**
 * Where a client looks for its servers on this machine.
 *
 * @module
 */
import { join } from "node:path";
import type { Client } from "../../mcp/mod.ts";
import { callerPath, clientVariable } from "../settings/environment.ts";
import { ConfigError } from "../settings/config.ts";

/** What decides where files lie. */
export interface Machine {
  /** Operating system. */
  readonly os: typeof Deno.build.os;
  /** Environment. */
  readonly env: { get(name: string): string | undefined };
  /** A path of the project that the caller stands in. */
  readonly inProject: (path: string) => string;
}

const THIS_MACHINE: Machine = {
  os: Deno.build.os,
  env: { get: clientVariable },
  inProject: callerPath,
};

/**
 * The client's own file: the project's where its person has none of the kind,
 * else the person's.
 *
 * @throws {ConfigError} The machine does not say where the person's files are.
 */
export function clientFile(
  client: Client,
  machine: Machine = THIS_MACHINE,
): string {
  const { os, env, inProject } = machine;
  const home = (...parts: string[]) => {
    const folder = env.get(os === "windows" ? "USERPROFILE" : "HOME") ?? "";
    if (folder !== "") return join(folder, ...parts);
    throw new ConfigError([
      "HOME is not set, so the client's file is not known; name it with --write FILE",
    ]);
  };
  /** A folder that a variable may move. */
  const moved = (name: string, ...parts: readonly string[]) => {
    const folder = env.get(name) ?? "";
    return folder === "" ? home(...parts) : folder;
  };
  const settings = () =>
    os === "windows"
      ? moved("APPDATA", "AppData", "Roaming")
      : os === "darwin"
      ? home("Library", "Application Support")
      : moved("XDG_CONFIG_HOME", ".config");
  switch (client) {
    case "claude":
      return inProject(".mcp.json");
    case "vscode":
      return inProject(join(".vscode", "mcp.json"));
    case "codex":
      return join(moved("CODEX_HOME", ".codex"), "config.toml");
    case "gemini":
      return home(".gemini", "settings.json");
    case "qwen":
      return home(".qwen", "settings.json");
    case "opencode":
      return join(
        moved("XDG_CONFIG_HOME", ".config"),
        "opencode",
        "opencode.json",
      );
    case "pi":
      return home(".pi", "agent", "mcp.json");
    case "copilot":
      return join(moved("COPILOT_HOME", ".copilot"), "mcp-config.json");
    case "cline":
      return home(".cline", "data", "settings", "cline_mcp_settings.json");
    case "continue":
      return home(".continue", "config.yaml");
    case "cursor":
      return home(".cursor", "mcp.json");
    case "claude-desktop":
      return join(settings(), "Claude", "claude_desktop_config.json");
    case "zed":
      return os === "windows"
        ? join(settings(), "Zed", "settings.json")
        : join(moved("XDG_CONFIG_HOME", ".config"), "zed", "settings.json");
  }
}
