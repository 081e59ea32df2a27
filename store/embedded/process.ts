/**
 * Running PostgreSQL's programs and looking at its processes.
 *
 * A process belongs to a cluster when it is called postgres and works in the
 * cluster's data folder; a process id alone says nothing after a restart of the
 * machine.
 *
 * @module
 */
import process from "node:process";
import type { ClusterFolders } from "./folders.ts";
import type { Owner } from "./user.ts";

/** How a program ended and what it said. */
export interface ProgramResult {
  /** Whether it exited with 0. */
  readonly ok: boolean;
  /** Standard output and error output. */
  readonly output: string;
}

/** Prints the ids of processes named postgres whose folder is `$1`. */
const LIST_SCRIPT = `for p in /proc/[0-9]*; do
  if [ "$p/cwd" -ef "$1" ]; then
    read -r name < "$p/comm" && [ "$name" = postgres ] && echo "\${p#/proc/}"
  fi
done 2>/dev/null
true`;

/** The command for a program, run as the cluster's owner, with a bare environment. */
export function ownerCommand(
  owner: Owner | undefined,
  program: string,
  args: readonly string[],
  options: { readonly stdin: "null" | "piped" } = { stdin: "null" },
): Deno.Command {
  return new Deno.Command(program, {
    args: [...args],
    // The owner may be unable to enter the folder this process works in.
    ...(Deno.build.os === "windows" ? {} : { cwd: "/" }),
    ...options,
    stdout: "piped",
    stderr: "piped",
    // No PG* variable of the caller may reach the server; a fixed time zone
    // also spares initdb its search for the machine's.
    ...(Deno.build.os === "windows" ? {} : {
      clearEnv: true,
      env: {
        PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        LC_ALL: "C",
        TZ: "UTC",
      },
    }),
    ...(owner ?? {}),
  });
}

/** Runs a program to its end. */
export async function runAsOwner(
  owner: Owner | undefined,
  program: string,
  args: readonly string[],
): Promise<ProgramResult> {
  const { success, stdout, stderr } = await ownerCommand(owner, program, args)
    .output();
  return { ok: success, output: decode(stdout) + decode(stderr) };
}

/** The bytes of a program's output as text. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Whether a process has this id, be it whose it may. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Sends a signal; a process that is gone already is no error. */
export function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Ids of the processes that serve this cluster: the server and its children. */
export async function serverPids(
  folders: Pick<ClusterFolders, "data" | "owner">,
): Promise<number[]> {
  if (Deno.build.os === "windows") return await windowsPids(folders.data);
  const { output } = Deno.build.os === "linux"
    ? await runAsOwner(folders.owner, "/bin/sh", [
      "-c",
      LIST_SCRIPT,
      "sh",
      folders.data,
    ])
    : await runAsOwner(folders.owner, "ps", ["-axo", "pid=,command="]);
  return output.split("\n")
    .filter((line) =>
      Deno.build.os === "linux" ||
      line.includes(`/bin/postgres -D ${folders.data} `)
    )
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid > 0);
}

/** Windows keeps no such list in reach: the server's own word must do. */
async function windowsPids(data: string): Promise<number[]> {
  const text = await Deno.readTextFile(`${data}/postmaster.pid`)
    .catch(() => "");
  const pid = Number.parseInt(text, 10);
  return pid > 0 && isAlive(pid) ? [pid] : [];
}
