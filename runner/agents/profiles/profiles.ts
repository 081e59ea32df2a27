/**
 * The agents that are known, and those that a file adds.
 *
 * @module
 */
import { isJson, type Json } from "../acp/peer.ts";
import type { Profile } from "../acp/profile.ts";
import { usageOfResult } from "../acp/usage.ts";
import { CLAUDE_CODE } from "./claude_code.ts";
import { CODEX } from "./codex.ts";
import { GEMINI } from "./gemini.ts";
import { OPENCODE } from "./opencode.ts";
import { QWEN } from "./qwen.ts";

/** The known ones. */
export const PROFILES: readonly Profile[] = [
  CLAUDE_CODE,
  CODEX,
  OPENCODE,
  GEMINI,
  QWEN,
];

/** A file that adds agents is not as it has to be. */
export class ProfileError extends Error {
  /** Always `ProfileError`. */
  override readonly name = "ProfileError";
  /** All problems. */
  readonly problems: readonly string[];

  /** Takes the problems. */
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

const NAME_REGEXP = /^[a-z][a-z0-9_]{0,39}$/;
/** `command` is no agent, and `pi` takes no MCP servers over this protocol. */
const TAKEN_NAMES = ["command", "pi"];

/**
 * Agents of an `AGENT_PROFILES` file: an object of objects by name, each with
 * `argv`, and `variables`, `env`, `asking_mode`, `skills_folder`, `model_by`,
 * `auth_method`, `login_files` where they differ from none.
 *
 * @throws {ProfileError}
 */
export function parseProfiles(text: string): readonly Profile[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProfileError(["It is not JSON"]);
  }
  if (!isJson(value)) {
    throw new ProfileError(["It has to be an object of profiles by name"]);
  }
  const problems: string[] = [];
  const profiles = Object.entries(value).map(([name, entry]) =>
    parseProfile(name, entry, problems)
  );
  if (problems.length > 0) throw new ProfileError(problems);
  return profiles;
}

function parseProfile(
  name: string,
  entry: unknown,
  problems: string[],
): Profile {
  const say = (what: string) =>
    problems.push(`Profile "${name.slice(0, 100)}" ${what}`);
  if (!NAME_REGEXP.test(name) || TAKEN_NAMES.includes(name)) {
    say(
      "cannot have this name: lowercase letters, digits and _, not command or pi",
    );
  }
  const given: Json = isJson(entry) ? entry : {};
  if (!isJson(entry)) say("has to be an object");
  const argv = textsOf(given.argv);
  if (argv === undefined || argv.length === 0) {
    say("needs argv, a list of program and arguments");
  }
  const texts = (key: string): readonly string[] => {
    if (given[key] === undefined) return [];
    const list = textsOf(given[key]);
    if (list === undefined) say(`has ${key} that is no list of texts`);
    return list ?? [];
  };
  const env = given.env === undefined ? {} : textsByName(given.env);
  if (env === undefined) say("has env that is no object of texts");
  const modelBy = given.model_by ?? "option";
  if (modelBy !== "option" && modelBy !== "set_model" && modelBy !== "none") {
    say("has model_by that is none of option, set_model, none");
  }
  return {
    name,
    argv: argv ?? [],
    package: null,
    variables: texts("variables"),
    env: () => env ?? {},
    files: [],
    authMethod: textOf(given.auth_method),
    askingMode: textOf(given.asking_mode),
    skillsFolder: textOf(given.skills_folder),
    hooks: null,
    modelBy: modelBy === "set_model" || modelBy === "none" ? modelBy : "option",
    meta: null,
    expandsVariables: false,
    // Only by a name that no other server can have.
    isOwnTool: ({ request, known }) =>
      [JSON.stringify(request.toolCall ?? {}), JSON.stringify(known)].some((
        words,
      ) => /"(name|title)":"(mcp__rootcellar__|rootcellar_)/.test(words)),
    readUsage: (source) => usageOfResult(source),
    readLimits: () => null,
    loginFiles: texts("login_files"),
    loginVariables: [],
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === "string")
    ? value
    : undefined;
}

function textsByName(
  value: unknown,
): Readonly<Record<string, string>> | undefined {
  return isJson(value) &&
      Object.values(value).every((one) => typeof one === "string")
    ? value as Record<string, string> // Checked in the line above.
    : undefined;
}
