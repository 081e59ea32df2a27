/**
 * Where the runner of this machine keeps its files, and whom its agents run as.
 *
 * @module
 */
import { dirname } from "node:path";
import type { AgentUser } from "../../runner/mod.ts";
import { keepDeno } from "../entry/kept_deno.ts";

/** No user of the machine has it: agents of root's runner own nothing else. */
const AGENT_ID = 64_021;

/** The folder of a runner, unless another one is named. */
export function runnerFolder(home: string): string {
  // Root's home belongs to PostgreSQL's user, and agents may not enter it.
  return isRoot() ? `${home}-runner` : `${home}/runner`;
}

/** Whom agents run as; undefined is the runner's own user. */
export function agentUser(): AgentUser | undefined {
  return isRoot() ? { uid: AGENT_ID, gid: AGENT_ID } : undefined;
}

/**
 * A Deno that agents can start: root's own may lie where they may not go.
 *
 * @throws {StartError} It cannot be kept in the runner's folder.
 */
export async function denoForAgents(folder: string): Promise<string> {
  if (agentUser() === undefined) return Deno.execPath();
  const deno = await keepDeno(folder);
  for (const path of [folder, dirname(deno)]) await Deno.chmod(path, 0o711);
  return deno;
}

function isRoot(): boolean {
  return Deno.build.os !== "windows" && Deno.uid() === 0;
}
