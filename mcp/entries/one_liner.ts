/**
 * The command of a client that adds the entry, where it has one.
 *
 * @module
 */
import type { Client } from "./clients.ts";
import { type Connector, ENTRY_NAME } from "./connector.ts";
import { entryOf, type EntryOptions } from "./entry_text.ts";

/** One line for a shell; undefined where a client has none that holds it all. */
export function oneLinerFor(
  client: Client,
  connector: Connector,
  { name = ENTRY_NAME, ...options }: EntryOptions & {
    /** What the entry is called. */
    readonly name?: string;
  } = {},
): string | undefined {
  const entry = entryOf(client, connector, options);
  switch (client) {
    case "claude":
      return line("claude", "mcp", "add-json", name, JSON.stringify(entry));
    case "vscode":
      return line("code", "--add-mcp", JSON.stringify({ name, ...entry }));
    case "codex": {
      if (connector.kind === "http") return undefined;
      const env = variables("--env", connector.env);
      return line(
        "codex",
        "mcp",
        "add",
        name,
        ...env,
        "--",
        ...connector.command,
      );
    }
    case "gemini":
    case "qwen":
      if (connector.kind === "http") {
        const header = `${connector.header[0]}: ${connector.header[1]}`;
        return line(
          ...[client, "mcp", "add", "-s", "user", "-t", "http"],
          ...["-H", header, "--", name, connector.url],
        );
      }
      return line(
        ...[client, "mcp", "add", "-s", "user"],
        ...variables("-e", connector.env),
        ...["--", name, ...connector.command],
      );
    case "copilot":
      if (connector.kind === "http") {
        const header = `${connector.header[0]}: ${connector.header[1]}`;
        return line(
          ...["copilot", "mcp", "add", "--transport", "http"],
          ...["--header", header, name, connector.url],
        );
      }
      return line(
        ...["copilot", "mcp", "add", ...variables("--env", connector.env)],
        ...[name, "--", ...connector.command],
      );
    case "pi":
      if (connector.kind === "http") return undefined;
      return line(
        ...["pi", "mcp", "add", ...variables("--env", connector.env)],
        ...[name, "--", ...connector.command],
      );
    default:
      return undefined;
  }
}

function variables(
  flag: string,
  env: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => [
    flag,
    `${name}=${value}`,
  ]);
}

/** Words of a shell, quoted where they need it. */
function line(...words: readonly string[]): string {
  return words.map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
  ).join(" ");
}
