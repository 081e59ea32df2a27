/**
 * Puts an entry into a client's configuration file, leaving everything else in
 * it as it is. The file is replaced in one step, or not at all.
 *
 * @module
 */
import { dirname } from "node:path";
import {
  type Client,
  type Connector,
  ENTRY_NAME,
  entryFor,
  jsonEntry,
} from "../../mcp/mod.ts";
import { ConfigError } from "../settings/config.ts";

/** What became of the file. */
export type WriteOutcome = "created" | "added" | "replaced";

/**
 * Writes or replaces the entry in `path`.
 *
 * @throws {ConfigError} The file cannot be read as what it should be; it is
 * left as it was.
 */
export async function writeEntry(
  path: string,
  client: Client,
  connector: Connector,
): Promise<WriteOutcome> {
  const before = await readIfThere(path);
  const { text, isReplaced } = client === "codex"
    ? mergeToml(before ?? "", entryFor(client, connector))
    : mergeJson(path, before ?? "", jsonEntry(client, connector));
  await replaceFile(path, text);
  if (before === undefined) return "created";
  return isReplaced ? "replaced" : "added";
}

interface Merged {
  readonly text: string;
  readonly isReplaced: boolean;
}

function mergeJson(
  path: string,
  before: string,
  entry: Readonly<Record<string, unknown>>,
): Merged {
  let parsed: unknown = {};
  if (before.trim() !== "") {
    try {
      parsed = JSON.parse(before.replace(/^\ufeff/, ""));
    } catch {
      throw new ConfigError([
        `Cannot add the entry to ${path}: it is not plain JSON (comments are not). Correct it, or paste the entry by hand`,
      ]);
    }
  }
  const servers = isObject(parsed) ? parsed.mcpServers ?? {} : undefined;
  if (!isObject(parsed) || !isObject(servers)) {
    throw new ConfigError([
      `Cannot add the entry to ${path}: it must hold a JSON object whose "mcpServers" is an object`,
    ]);
  }
  const indent = /^([ \t]+)"/m.exec(before)?.[1] ?? "  ";
  const merged = { ...parsed, mcpServers: { ...servers, [ENTRY_NAME]: entry } };
  return {
    text: `${JSON.stringify(merged, null, indent)}\n`,
    isReplaced: Object.hasOwn(servers, ENTRY_NAME),
  };
}

/**
 * Replaces our table, with its sub-tables, or appends it. Other lines, comments
 * among them, stay to the letter.
 */
function mergeToml(before: string, entry: string): Merged {
  const kept: string[] = [];
  let isOurs = false;
  let at: number | undefined;
  for (const line of before.split("\n")) {
    const header = /^\s*\[+\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) {
      const name = header.replaceAll(/["'\s]/g, "");
      isOurs = name === `mcp_servers.${ENTRY_NAME}` ||
        name.startsWith(`mcp_servers.${ENTRY_NAME}.`);
      if (isOurs) at ??= kept.length;
    }
    if (!isOurs) kept.push(line);
  }
  if (at !== undefined) {
    const lines = [...kept.slice(0, at), entry, "", ...kept.slice(at)];
    return { text: `${lines.join("\n").trimEnd()}\n`, isReplaced: true };
  }
  const gap = before.trim() === "" ? "" : `${before.trimEnd()}\n\n`;
  return { text: `${gap}${entry}\n`, isReplaced: false };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new ConfigError([`Cannot read ${path}: ${messageOf(error)}`]);
  }
}

/** The entry holds a credential, so a new file is its owner's alone. */
async function replaceFile(path: string, text: string): Promise<void> {
  // A link stays a link: what it points to is replaced.
  const target = await Deno.realPath(path).catch(() => path);
  const mode = (await Deno.stat(target).catch(() => undefined))?.mode ?? 0o600;
  const draft = `${target}.${crypto.randomUUID().slice(0, 8)}`;
  try {
    await Deno.mkdir(dirname(target), { recursive: true });
    await Deno.writeTextFile(draft, text, { mode: mode & 0o777 });
    await Deno.rename(draft, target);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw new ConfigError([`Cannot write ${path}: ${messageOf(error)}`]);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
