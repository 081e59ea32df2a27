/**
 * Runs a script with the rights of the agents' user: what it writes is theirs,
 * and a link that an agent has put in its way leads it nowhere that the agent
 * could not go by itself.
 *
 * @module
 */
import type { AgentUser } from "../folders.ts";

/** Where a script runs. */
export interface ScriptPlace {
  /** Its working folder. */
  readonly cwd: string;
  /** Whom it runs as; undefined is the runner's own user. */
  readonly owner: AgentUser | undefined;
}

/** A word of a shell that stands for itself. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Runs a shell script with one argument; its exit code. */
export async function runAs(
  { cwd, owner }: ScriptPlace,
  script: string,
  { argument, input = new Uint8Array() }: {
    readonly argument: string;
    /** What it reads. */
    readonly input?: Uint8Array;
  },
): Promise<number> {
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", script, "rootcellar", argument],
    cwd,
    clearEnv: true,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    stdin: "piped",
    stdout: "null",
    stderr: "null",
    ...owner,
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(input).catch(() => {}); // Its exit says why.
  await writer.close().catch(() => {});
  return (await child.status).code;
}
