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
  type EntryFormat,
  entryOf,
  type EntryOptions,
  formOf,
} from "../../mcp/mod.ts";
import { ConfigError } from "../settings/config.ts";
import { EntryError } from "./entry_error.ts";
import { mergeEntry, type TextForm } from "./entry_text.ts";
import { jsonForm } from "./json_text.ts";
import { tomlForm } from "./toml_text.ts";
import { yamlForm } from "./yaml_text.ts";

const FORMS: Readonly<Record<EntryFormat, (servers: string) => TextForm>> = {
  json: jsonForm,
  toml: tomlForm,
  yaml: yamlForm,
};

/** What became of the file. */
export type WriteOutcome = "created" | "added" | "replaced";

/**
 * Writes or replaces the entry in `path`.
 *
 * @throws {EntryError} The file does not say what it should, or would not say
 * the same of everything else.
 * @throws {ConfigError} It cannot be read or written.
 */
export async function writeEntry(
  path: string,
  client: Client,
  connector: Connector,
  { name = ENTRY_NAME, ...options }: EntryOptions & {
    /** What the entry is called. */
    readonly name?: string;
  } = {},
): Promise<WriteOutcome> {
  const before = await readIfThere(path);
  const { format, servers } = formOf(client);
  const entry = entryOf(client, connector, options);
  const merged = mergeEntry(before ?? "", FORMS[format](servers), {
    name,
    entry,
  });
  if (!merged.ok) {
    throw new EntryError(
      `Cannot add the entry to ${path}: ${merged.reason}. Nothing was written; correct the file, or paste the entry that is printed without --write`,
    );
  }
  await replaceFile(path, merged.text);
  if (before === undefined) return "created";
  return merged.isReplaced ? "replaced" : "added";
}

async function readIfThere(path: string): Promise<string | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new ConfigError([`Cannot read ${path}: ${messageOf(error)}`]);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes);
  } catch (error) {
    throw new EntryError(
      `Cannot add the entry to ${path}: It is not UTF-8. Nothing was written`,
      { cause: error },
    );
  }
}

/** The entry holds a credential, so a new file is its owner's alone. */
async function replaceFile(path: string, text: string): Promise<void> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    // A link stays a link: what it points to is replaced.
    const target = await targetOf(path);
    const old = await Deno.stat(target).catch(() => undefined);
    const draft = `${target}.${crypto.randomUUID().slice(0, 8)}`;
    try {
      await Deno.writeTextFile(draft, text, { mode: 0o600, createNew: true });
      if (old !== undefined) await likeBefore(draft, old);
      await Deno.rename(draft, target);
    } catch (error) {
      await Deno.remove(draft).catch(() => {});
      throw error;
    }
  } catch (error) {
    throw new ConfigError([`Cannot write ${path}: ${messageOf(error)}`]);
  }
}

async function targetOf(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const isLink = await Deno.lstat(path).then(() => true, () => false);
    if (isLink) throw new Error("It is a link to a file that is not there");
    return path;
  }
}

/** The mode of the file that is replaced, and its owner where that is another. */
async function likeBefore(draft: string, old: Deno.FileInfo): Promise<void> {
  if (old.mode === null || Deno.build.os === "windows") return;
  const { uid } = await Deno.stat(draft);
  if (old.uid !== uid) await Deno.chown(draft, old.uid, old.gid);
  await Deno.chmod(draft, old.mode & 0o777);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
