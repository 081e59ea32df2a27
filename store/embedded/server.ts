/**
 * Starting and stopping the server process.
 *
 * Everything here that changes something needs the start lock. A server counts
 * as running when it answers on its socket; files and process ids only help to
 * find out why it does not.
 *
 * @module
 */
import type { DatabaseTarget } from "../pg/db.ts";
import { StoreUnavailableError } from "../errors.ts";
import { queryOnce } from "../pg/postgres.ts";
import { SOCKET_PORT } from "./endpoint.ts";
import { ClusterError, messageOf } from "./errors.ts";
import type { ClusterFolders } from "./folders.ts";
import { logPath, logSize, logTail, rotateLog } from "./log/log_file.ts";
import { remove } from "./owner_files.ts";
import { disownPidFile, readPidFile, removePidFile } from "./pid_file.ts";
import {
  decode,
  isAlive,
  ownerCommand,
  serverPids,
  signal,
} from "./process.ts";
import { Deadline, pause, waitUntil } from "./wait.ts";

/** `busy` is a server that is starting up, recovering or shutting down. */
export type ServerState = "up" | "busy" | "down";

/** How long a start may take; recovery after a crash is part of it. */
export const START_TIMEOUT_MS = 60_000;
/** Application name of connections that only look. */
export const PROBE_NAME = "rootcellar-probe";
/** How long a living server may be unreachable before it is replaced. */
const UNREACHABLE_MS = 5_000;
/** What a server that hangs is given, step by step, before it is replaced. */
const HANG_LIMITS: HangLimits = {
  stoppingMs: 10_000,
  immediateMs: 10_000,
  killMs: 5_000,
};
/** A server that others kill right after its start is started again. */
const MAX_STARTS = 5;
const ORPHAN_GRACE_MS = 500;
const POLL_MS = 15;
/** Each probe of a busy server is a line in its log. */
const BUSY_POLL_MS = 50;
const PROBE_TIMEOUT_MS = 5_000;

/** Time for the steps that end a server; one without a time is left out. */
export interface StopLimits {
  /** SIGINT: statements are cancelled, everything is written. */
  readonly fastMs?: number;
  /** SIGQUIT: the next start recovers. */
  readonly immediateMs?: number;
  /** SIGKILL, which no process outlives; nor does it see to its children. */
  readonly killMs?: number;
}

/** How long a start waits for a server that hangs, and then ends it. */
export interface HangLimits {
  /** For one that has been told to end. */
  readonly stoppingMs: number;
  /** After SIGQUIT. */
  readonly immediateMs: number;
  /** After SIGKILL. */
  readonly killMs: number;
}

/** Asks the server itself. */
export async function probe(target: DatabaseTarget): Promise<ServerState> {
  try {
    await queryOnce(target, "select 1", [], {
      applicationName: PROBE_NAME,
      statementTimeoutMs: PROBE_TIMEOUT_MS,
    });
    return "up";
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    if (error.code === "rejected") return "up";
    // A SQLSTATE comes from a server; so does a connection that it ended.
    const hasAnswered = error.sqlState !== undefined ||
      error.code === "outcome_unknown" || error.code === "timeout";
    return hasAnswered ? "busy" : "down";
  }
}

/**
 * Brings the server up, whatever state it is in. The caller holds the start
 * lock, the data folder exists. Answers what it took.
 *
 * @throws {ClusterError} Code `start_failed`.
 */
export async function bringUp(
  folders: ClusterFolders,
  target: DatabaseTarget,
  binaries: string,
  limits: HangLimits = HANG_LIMITS,
): Promise<"was_up" | "started" | "recovered"> {
  const deadline = new Deadline(START_TIMEOUT_MS);
  const unreachable = new Deadline(UNREACHABLE_MS);
  let outcome: "was_up" | "started" | "recovered" = "was_up";
  let stopping: Deadline | undefined;
  let starts = 0;
  for (;;) {
    const state = await probe(target);
    if (state === "up") return outcome;
    if (deadline.isOver) throw lateStart(folders);
    const pid = state === "down" ? await livingServer(folders) : undefined;
    if (pid !== undefined && unreachable.isOver) {
      // It runs, yet its socket is gone: someone removed it.
      await stopServer(folders, { fastMs: 10_000, ...limits });
    }
    if (state === "busy" && (await readPidFile(folders))?.isStopping) {
      stopping ??= new Deadline(limits.stoppingMs);
      // One of its processes does not listen, or a client will not leave.
      if (stopping.isOver) {
        await stopServer(folders, limits);
        outcome = "recovered";
      }
    } else stopping = undefined;
    if (state === "busy" || pid !== undefined) {
      await pause(BUSY_POLL_MS);
      continue;
    }
    const isLeftover = await clearLeftovers(folders);
    if (outcome === "was_up") outcome = isLeftover ? "recovered" : "started";
    if (++starts > MAX_STARTS) {
      throw await startFailure(
        folders,
        Infinity,
        "it ends as soon as it starts",
      );
    }
    await start(folders, target, binaries, deadline);
  }
}

/**
 * Stops the server, with one signal after the other until it has ended. Answers
 * whether it has, within that time.
 */
export async function stopServer(
  folders: ClusterFolders,
  limits: StopLimits,
): Promise<boolean> {
  const pid = await livingServer(folders);
  if (pid === undefined) return true;
  const hasEnded = async () =>
    !isAlive(pid) || (await readPidFile(folders) === undefined &&
      !(await serverPids(folders)).includes(pid));
  const steps = [
    ["SIGINT", limits.fastMs],
    ["SIGQUIT", limits.immediateMs],
    ["SIGKILL", limits.killMs],
  ] as const;
  for (const [name, timeoutMs] of steps) {
    if (timeoutMs === undefined) continue;
    signal(pid, name);
    if (await waitUntil(hasEnded, timeoutMs, POLL_MS)) return true;
  }
  return false;
}

/** The process id of this cluster's server, when it lives. */
export async function livingServer(
  folders: ClusterFolders,
): Promise<number | undefined> {
  const file = await readPidFile(folders);
  if (file === undefined || !isAlive(file.pid)) return undefined;
  return (await serverPids(folders)).includes(file.pid) ? file.pid : undefined;
}

/**
 * Makes way for a start after a crash: no server of this cluster lives.
 * Answers whether one ended without cleaning up.
 */
async function clearLeftovers(folders: ClusterFolders): Promise<boolean> {
  if (await readPidFile(folders) === undefined) {
    if ((await serverPids(folders)).length === 0) await removePidFile(folders);
    return false;
  }
  // Children of a killed server end by themselves unless they are computing;
  // PostgreSQL refuses to start beside them, and nobody else can stop them.
  const areGone = async () => (await serverPids(folders)).length === 0;
  for (const name of ["none", "SIGQUIT", "SIGKILL"] as const) {
    // One of them may be a server that an orphaned pg_ctl has just started.
    if (await livingServer(folders) !== undefined) return true;
    if (name !== "none") {
      for (const pid of await serverPids(folders)) signal(pid, name);
    }
    if (await waitUntil(areGone, ORPHAN_GRACE_MS, BUSY_POLL_MS)) break;
  }
  await disownPidFile(folders);
  const { socket, socketLock } = folders.files;
  for (const path of [socket, socketLock]) {
    await remove(path, folders.owner).catch(() => {});
  }
  return true;
}

async function start(
  folders: ClusterFolders,
  target: DatabaseTarget,
  binaries: string,
  deadline: Deadline,
): Promise<void> {
  await rotateLog(folders);
  const offset = await logSize(folders);
  // pg_ctl gives the server a session of its own: it survives this process and
  // the signals of this terminal.
  const child = spawnControl(folders, binaries, [
    "start",
    "-w",
    "-D",
    folders.data,
    "-l",
    logPath(folders),
    "-o",
    serverOptions(target),
  ]);
  let hasExited = false;
  const result = child.output().then((output) => {
    hasExited = true;
    return output;
  });
  // pg_ctl looks ten times a second; the file says it sooner.
  const isReady = async () => {
    const file = await readPidFile(folders);
    return hasExited || (file?.isReady === true && isAlive(file.pid));
  };
  while (!await isReady() && !deadline.isOver) await pause(POLL_MS);
  if (!hasExited) signal(child.pid, "SIGKILL");
  const wasCut = !hasExited;
  const { success, stdout, stderr } = await result;
  if (success || wasCut) return;
  // The server of a process that was killed while it started one.
  if (await livingServer(folders) !== undefined) return;
  throw await startFailure(
    folders,
    offset,
    decode(stderr).trim() || decode(stdout).trim(),
  );
}

function spawnControl(
  folders: ClusterFolders,
  binaries: string,
  args: readonly string[],
): Deno.ChildProcess {
  const program = `${binaries}/bin/pg_ctl`;
  try {
    return ownerCommand(folders.owner, program, args).spawn();
  } catch (cause) {
    throw new ClusterError(
      "start_failed",
      `Cannot start PostgreSQL: ${
        messageOf(cause)
      }; programs must be allowed to run from "${folders.pg}", else set DATABASE_URL`,
      { cause },
    );
  }
}

/**
 * Where it listens is not the operator's to change. The socket's folder is
 * relative to the data folder: short, and never that of a later home at the
 * same path.
 */
function serverOptions(target: DatabaseTarget): string {
  const settings = target.kind === "loopback"
    ? ["listen_addresses=127.0.0.1", "unix_socket_directories="]
    : ["listen_addresses=", "unix_socket_directories=../run"];
  const port = target.kind === "url" ? SOCKET_PORT : target.port;
  return [...settings, `port=${port}`, "unix_socket_permissions=0700"]
    .map((setting) => `-c ${setting}`).join(" ");
}

async function startFailure(
  folders: ClusterFolders,
  offset: number,
  otherwise: string,
): Promise<ClusterError> {
  const reason = await logTail(folders, offset) || otherwise;
  return new ClusterError(
    "start_failed",
    `Cannot start PostgreSQL: ${reason}; its log is "${logPath(folders)}"`,
  );
}

function lateStart(folders: ClusterFolders): ClusterError {
  return new ClusterError(
    "start_failed",
    `Cannot use PostgreSQL yet: it is not ready after ${
      START_TIMEOUT_MS / 1000
    } s and goes on; try again later, its log is "${logPath(folders)}"`,
  );
}
