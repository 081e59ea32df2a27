/**
 * Runs the machine's git: without questions, without what surrounds a tree,
 * and without credentials in what it says.
 *
 * @module
 */
import type { AgentUser } from "../folders.ts";
import { TreeError } from "./tree.ts";

/** How git is run. */
export interface GitOptions {
  /** Folder that it runs in. */
  readonly cwd: string;
  /** Home of who it runs for: keys and settings. */
  readonly home: string;
  /** Folders above this one are not looked into. */
  readonly ceiling: string;
  /** Whom it runs as. */
  readonly user: AgentUser | undefined;
  /** The runner's environment: ways to other machines. */
  readonly env: Readonly<Record<string, string>>;
}

/** What git answered. */
export interface GitAnswer {
  /** Whether it did what it was asked. */
  readonly ok: boolean;
  /** What it wrote. */
  readonly text: string;
  /** What it complained of, credentials taken out. */
  readonly words: string;
}

const LIMIT_MS = 15 * 60_000;
const MAX_WORDS = 500;
const HANDED_ON = [
  "PATH",
  "SSH_AUTH_SOCK",
  "GIT_SSH_COMMAND",
  "SSL_CERT_FILE",
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy",
];

/** Runs git. @throws {TreeError} Code `git_missing`. */
export async function runGit(
  args: readonly string[],
  { cwd, home, ceiling, user, env }: GitOptions,
): Promise<GitAnswer> {
  const given = HANDED_ON.filter((name) => env[name] !== undefined)
    .map((name) => [name, env[name] ?? ""]);
  try {
    const { success, stdout, stderr } = await new Deno.Command("git", {
      args: [...args],
      cwd,
      clearEnv: true,
      env: {
        ...Object.fromEntries(given),
        HOME: home,
        LC_ALL: "C",
        GIT_CEILING_DIRECTORIES: ceiling,
        GIT_TERMINAL_PROMPT: "0",
        GIT_OPTIONAL_LOCKS: "0",
      },
      stdin: "null",
      signal: AbortSignal.timeout(LIMIT_MS),
      ...user,
    }).output();
    const decoder = new TextDecoder();
    return {
      ok: success,
      text: decoder.decode(stdout),
      words: withoutCredentials(decoder.decode(stderr)).trim()
        .slice(-MAX_WORDS).toWellFormed(),
    };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new TreeError(
      "git_missing",
      "The runner's machine has no git, and sessions with a repository need it",
      { cause: error },
    );
  }
}

/** A text whose addresses have lost user and password. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, "$1");
}
