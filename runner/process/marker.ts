/**
 * Finds and kills what a turn has started, wherever it went.
 *
 * Agents start their shells in sessions of their own, so a process group is
 * not enough: every process of a turn carries a marker in its environment, and
 * what carries it, or descends from what does, belongs to the turn.
 * Specification: docs/spec/runner.md section 2.
 *
 * @module
 */
import type { ProcessIdentity } from "../../fleet/turns/protocol.ts";

/** The variable that carries the marker. */
export const MARKER_VARIABLE = "ROOTCELLAR_RUN";

/** Rounds of a sweep: what forks while it is looked for is found by the next. */
const MAX_ROUNDS = 20;

/** Whose process it is. */
export interface MarkerParts {
  /** Names the runner's folder: several runners share a machine. */
  readonly runnerKey: string;
  /** The session. */
  readonly sessionId: number;
  /** The turn. */
  readonly turnId: number;
  /** Its lease. */
  readonly leaseNo: number;
}

/** A process that was found. */
export interface FoundProcess {
  /** Process id. */
  readonly pid: number;
  /** When it began, in ticks since its machine's start. */
  readonly startTime: string;
  /** Memory that it holds, in bytes. */
  readonly residentBytes: number;
}

interface ProcessRow extends FoundProcess {
  readonly parent: number;
  readonly isDead: boolean;
}

const PAGE_BYTES = 4_096;
/** A program's name may hold anything, a line's end too, in 15 bytes. */
const STAT_REGEXP = /^(\d+) \([^]{0,16}?\) (\S) (\d+) (.*)$/gm;
/** In what comes after the parent of a process: when it began, what it holds. */
const START_FIELD = 17;
const RESIDENT_FIELD = 19;

/** Whether processes can be found by their marker on this system. */
export const HAS_SWEEP: boolean = Deno.build.os === "linux";

/** The marker of a turn's processes. */
export function markerOf(parts: MarkerParts): string {
  return `${sessionPrefix(parts)}${parts.turnId}.${parts.leaseNo}`;
}

/** What the markers of all turns of a session begin with. */
export function sessionPrefix(
  { runnerKey, sessionId }: Pick<MarkerParts, "runnerKey" | "sessionId">,
): string {
  return `${runnerPrefix(runnerKey)}${sessionId}.`;
}

/** What the markers of all turns of a runner begin with. */
export function runnerPrefix(runnerKey: string): string {
  return `${runnerKey}.`;
}

/** The living processes whose marker begins so, and what descends from them. */
export async function findMarked(
  prefix: string,
): Promise<readonly FoundProcess[]> {
  if (!HAS_SWEEP) return [];
  const pattern = `^${MARKER_VARIABLE}=${prefix.replaceAll(".", "[.]")}`;
  const [marked = "", stats = ""] = (await run(
    `grep -lszE -e "$1" /proc/[0-9]*/environ; echo =; cat /proc/[0-9]*/stat`,
    pattern,
  )).split("=\n");
  const wanted = new Set(
    [...marked.matchAll(/^\/proc\/(\d+)\//gm)].map(([, pid]) => Number(pid)),
  );
  if (wanted.size === 0) return [];
  const rows = parseStats(stats);
  for (let size = -1; size !== wanted.size;) {
    size = wanted.size;
    for (const { pid, parent } of rows) {
      if (wanted.has(parent)) wanted.add(pid);
    }
  }
  wanted.delete(Deno.pid);
  return rows.filter(({ pid, isDead }) => wanted.has(pid) && !isDead);
}

/** Kills them until none is left; how many there were. */
export async function killMarked(prefix: string): Promise<number> {
  const killed = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await findMarked(prefix);
    if (found.length === 0) break;
    for (const { pid, startTime } of found) {
      killed.add(`${pid}.${startTime}`);
      signal(pid, "SIGKILL");
    }
  }
  return killed.size;
}

/** Sends a signal; whether there was somebody to get it. */
export function signal(pid: number, name: Deno.Signal): boolean {
  try {
    Deno.kill(pid, name);
    return true;
  } catch {
    return false; // It is gone, or it is not ours.
  }
}

/** Which process a number means, as long as it lives. */
export async function identify(pid: number): Promise<ProcessIdentity> {
  if (!HAS_SWEEP) return { pid, start_time: null, boot_id: null };
  const text = await run(
    `cat /proc/sys/kernel/random/boot_id "/proc/$1/stat"`,
    String(pid),
  );
  const [boot = ""] = text.split("\n");
  return {
    pid,
    start_time: parseStats(text)[0]?.startTime ?? null,
    boot_id: boot === "" ? null : boot,
  };
}

function parseStats(text: string): readonly ProcessRow[] {
  return [...text.matchAll(STAT_REGEXP)].map(
    ([, pid, state = "", parent, rest = ""]) => {
      const fields = rest.split(" ");
      return {
        pid: Number(pid),
        parent: Number(parent),
        isDead: state === "Z" || state === "X",
        startTime: fields[START_FIELD] ?? "",
        residentBytes: Number(fields[RESIDENT_FIELD] ?? 0) * PAGE_BYTES,
      };
    },
  );
}

/** By a shell: Deno opens `/proc` only to programs that may do everything. */
async function run(script: string, argument: string): Promise<string> {
  const { stdout } = await new Deno.Command("/bin/sh", {
    args: ["-c", script, "rootcellar-sweep", argument],
    clearEnv: true,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" },
    stdin: "null",
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}
