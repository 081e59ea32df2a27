/**
 * A hook of the catalog as a runner is given it.
 *
 * Catalogs say it in a file `HOOK.json` of the hook's folder, as AIR has it, or
 * in the entry itself, which needs no folder then: so a catalog of an address
 * has hooks, too.
 *
 * @module
 */
import type { Artifact, ArtifactFiles } from "../../catalog/mod.ts";
import type { FileOrder, HookOrder } from "./protocol.ts";

const DEFINITION_FILE = "HOOK.json";
const MAX_EVENT_CHARACTERS = 100;
/** All that a hook says, beside its files. */
const MAX_CHARACTERS = 50_000;

type Fields = Readonly<Record<string, unknown>>;

/** The order of a hook, or why no runner can apply it. */
export async function hookOrder(
  artifact: Artifact | undefined,
  artifacts: ArtifactFiles,
): Promise<HookOrder | string> {
  if (artifact === undefined) return "the catalog has none of that name";
  const { name, entry, source } = artifact;
  if (entry["x-config"] !== undefined) {
    return "its entry has x-config, which nothing here lays over its HOOK.json; write the values into the hook itself";
  }
  const is_trusted = !/^https?:/.test(source);
  if (entry.path === undefined && entry.command !== undefined) {
    return readHook(entry, { name, files: [], is_trusted });
  }
  const reading = await artifacts.list(artifact);
  if (!reading.ok) return reading.reason;
  const { files } = reading;
  const text = await artifacts.readText(files, DEFINITION_FILE);
  if (text === undefined) return `its folder has no ${DEFINITION_FILE}`;
  const fields = parseFields(text);
  return fields === undefined
    ? `its ${DEFINITION_FILE} is no JSON object`
    : readHook(fields, { name, files, is_trusted });
}

/** A JSON object; undefined where it is none. */
export function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An object of texts, `{}` where there is nothing; undefined for others. */
export function textsOf(
  value: unknown,
): Readonly<Record<string, string>> | undefined {
  if (value === undefined) return {};
  if (!isFields(value)) return undefined;
  const entries = Object.entries(value);
  return entries.every(([, one]) => typeof one === "string")
    ? Object.fromEntries(entries) as Record<string, string>
    : undefined;
}

function readHook(
  fields: Fields,
  { name, files, is_trusted }: {
    readonly name: string;
    readonly files: readonly FileOrder[];
    readonly is_trusted: boolean;
  },
): HookOrder | string {
  const { event, command, args = [], matcher = null, timeout_seconds } = fields;
  if (!isWords(event) || event.length > MAX_EVENT_CHARACTERS) {
    return "it names no event";
  }
  if (!isWords(command)) return "it names no command";
  if (!Array.isArray(args) || !args.every((one) => typeof one === "string")) {
    return "its args are no list of texts";
  }
  const env = textsOf(fields.env);
  if (env === undefined) return "its env is no object of texts";
  if (matcher !== null && typeof matcher !== "string") {
    return "its matcher is no text";
  }
  if (
    timeout_seconds !== undefined &&
    !(typeof timeout_seconds === "number" && timeout_seconds >= 1 &&
      timeout_seconds <= 86_400)
  ) return "its timeout_seconds is no number from 1 to 86400";
  const said = [command, ...args, ...Object.entries(env).flat(), matcher ?? ""]
    .join(" ");
  if (said.length > MAX_CHARACTERS) {
    return `it says ${said.length} characters, and ${MAX_CHARACTERS} are the most; put them into a file beside it`;
  }
  // No program is told of one: neither in its arguments nor in its variables.
  if (said.includes("\u0000")) return "its texts hold a NUL character";
  return {
    name,
    event,
    command,
    args,
    env,
    matcher,
    timeout_ms: timeout_seconds === undefined
      ? null
      : Math.round(timeout_seconds * 1_000),
    files,
    is_trusted,
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWords(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
