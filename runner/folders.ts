/**
 * Where a runner keeps what: one folder, nobody else's.
 *
 * Agents run as a user of their own where the runner is root: what they work
 * in belongs to them, and everything else here is closed to them.
 *
 * @module
 */

import { dirname, resolve } from "node:path";

/** A user other than the runner's. */
export interface AgentUser {
  /** User id. */
  readonly uid: number;
  /** Group id. */
  readonly gid: number;
}

/** The folders of a runner. */
export interface Folders {
  /** All of it. */
  readonly base: string;
  /** Events that are on their way. */
  readonly spool: string;
  /** One folder a session. */
  readonly sessions: string;
  /** Home of the agents: logins and conversations. */
  readonly home: string;
  /** Copies of repositories that clones share. */
  readonly mirrors: string;
  /** Installed agents. */
  readonly agents: string;
  /** Unpushed work of trees that were removed. */
  readonly bundles: string;
  /** Names this folder among all runners of the machine. */
  readonly key: string;
  /** Whom agents run as; undefined is the runner's own user. */
  readonly agentUser: AgentUser | undefined;
}

/** Agents cannot get to the folder. */
export class ClosedFolderError extends Error {
  /** Always `ClosedFolderError`. */
  override readonly name = "ClosedFolderError";
}

const KEY_REGEXP = /^[0-9a-f]{16}$/;

/**
 * Makes the folders, or finds them.
 *
 * @throws {ClosedFolderError} A folder above lets the agents' user not pass.
 */
export async function openFolders(
  base: string,
  agentUser: AgentUser | undefined,
): Promise<Folders> {
  if (agentUser !== undefined) await checkPassage(base, agentUser);
  // Others may pass through where others have to, and see nothing.
  await makeFolder(base, agentUser === undefined ? 0o700 : 0o711);
  const own = async (name: string) => {
    await makeFolder(`${base}/${name}`, 0o700);
    return `${base}/${name}`;
  };
  const shared = async (name: string) => {
    const path = await own(name);
    await giveTo(path, agentUser);
    return path;
  };
  return {
    base,
    spool: await own("spool"),
    sessions: await shared("sessions"),
    home: await shared("home"),
    mirrors: await shared("mirrors"),
    agents: await shared("agents"),
    bundles: await shared("bundles"),
    key: await readKey(`${base}/key`),
    agentUser,
  };
}

/** The folder of a session. */
export function sessionFolder({ sessions }: Folders, id: number): string {
  return `${sessions}/session-${id}`;
}

/** Makes a folder for agents. */
export async function makeAgentFolder(
  path: string,
  { agentUser }: Pick<Folders, "agentUser">,
): Promise<void> {
  await makeFolder(path, 0o700);
  await giveTo(path, agentUser);
}

/** Without it the system would say of each program that it may not be started. */
async function checkPassage(base: string, user: AgentUser): Promise<void> {
  const above = resolve(base);
  for (let path = dirname(above);; path = dirname(path)) {
    const found = await Deno.stat(path).catch(() => undefined);
    if (found !== undefined && !mayPass(found, user)) {
      const mode = ((found.mode ?? 0) & 0o777).toString(8);
      throw new ClosedFolderError(
        `Agents run as user ${user.uid}, who cannot pass through ${path} (its mode is ${mode}) to the runner's folder ${above}: no agent could start. Let others pass (chmod o+x ${path}), or choose a folder elsewhere with --folder or ROOTCELLAR_HOME`,
      );
    }
    if (path === dirname(path)) return;
  }
}

function mayPass({ uid, gid, mode }: Deno.FileInfo, user: AgentUser): boolean {
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  return ((mode ?? 0) & bit) !== 0;
}

async function makeFolder(path: string, mode: number): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode });
  if (Deno.build.os !== "windows") await Deno.chmod(path, mode);
}

async function giveTo(
  path: string,
  user: AgentUser | undefined,
): Promise<void> {
  if (user !== undefined) await Deno.chown(path, user.uid, user.gid);
}

async function readKey(path: string): Promise<string> {
  const known = (await Deno.readTextFile(path).catch(() => "")).trim();
  if (KEY_REGEXP.test(known)) return known;
  const key = crypto.getRandomValues(new Uint8Array(8)).toHex();
  await Deno.writeTextFile(path, `${key}\n`, { mode: 0o600 });
  return key;
}
