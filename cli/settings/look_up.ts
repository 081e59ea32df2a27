/**
 * Where the text of a setting comes from: its flag, else its variable; of a
 * secret also a file that either of them names, so that it need not stand in
 * the list of processes.
 *
 * @module
 */
import { resolve } from "node:path";
import type { Setting } from "./config.ts";
import type { Source } from "./setting.ts";

/** A setting that somebody set. */
export interface Found {
  /** What complaints call it. */
  readonly name: string;
  /** What it is set to; blank where there is a problem. */
  readonly text: string;
  /** The file that it came from. */
  readonly file?: string;
  /** Why there is no text. */
  readonly problem?: string;
}

/** What a setting is set to; undefined when it is not, or to a blank. */
export function lookUp(setting: Setting, source: Source): Found | undefined {
  const { flags, env } = source;
  const { name, flag, file } = setting;
  const flagText = stringOf(flags[flag]);
  const flagFile = file && stringOf(flags[file.flag]);
  // A blank flag unsets its variable.
  const isFlag = flagText !== undefined || flagFile !== undefined;
  const text = trimmed(isFlag ? flagText : env(name));
  const path = trimmed(isFlag ? flagFile : file && env(file.name));
  if (path === undefined || file === undefined) {
    return text === undefined ? undefined : { name, text };
  }
  if (text === undefined) return readSecret(file.name, path, source);
  const [one, other] = isFlag
    ? [`--${flag}`, `--${file.flag}`]
    : [name, file.name];
  return { name, text: "", problem: `Set ${one} or ${other}, not both` };
}

/** The first line, as editors and secret stores end it. */
function readSecret(
  name: string,
  path: string,
  { toPath = resolve }: Source,
): Found {
  const file = toPath(path);
  try {
    const [line = ""] = Deno.readTextFileSync(file).replace(/^\ufeff/, "")
      .split(/\r?\n/);
    const text = line.trim();
    return text !== "" ? { name, text, file } : {
      name,
      text,
      file,
      problem: `${name}: the first line of ${file} is blank`,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `${name}: cannot read ${file}: ${reason}`;
    return { name, text: "", file, problem };
  }
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function trimmed(text: string | undefined): string | undefined {
  const rest = text?.trim();
  return rest === "" ? undefined : rest;
}
