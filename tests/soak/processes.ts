/**
 * What runs on a home, and how much memory it takes. Linux only: elsewhere
 * nothing is found, and the report says so.
 *
 * @module
 */

/** Whether processes can be looked at here. */
export const CAN_LOOK = Deno.build.os === "linux";

/** Prints id and command of processes that work in, or were told, the home `$1`. */
const LIST_SCRIPT = `for p in /proc/[0-9]*; do
  case "$(readlink "$p/cwd")" in "$1"|"$1"/*) ;; *)
    tr '\\0' '\\n' < "$p/environ" | grep -qxF "ROOTCELLAR_HOME=$1" || continue ;;
  esac
  command=$(tr '\\0' ' ' < "$p/cmdline")
  [ -n "$command" ] && echo "\${p#/proc/} $command"
done 2>/dev/null
true`;

/** Processes whose folder or environment names the home: id and command. */
export async function processesOf(home: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("/bin/sh", {
    args: ["-c", LIST_SCRIPT, "sh", home],
    cwd: "/",
  }).output();
  return new TextDecoder().decode(stdout).split("\n")
    .filter((line) => line !== "");
}

/** Resident memory of a process, in MiB; undefined for none. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  const { stdout } = await new Deno.Command("ps", {
    args: ["-o", "rss=", "-p", String(pid)],
  }).output();
  const kilobytes = Number(new TextDecoder().decode(stdout));
  return kilobytes > 0 ? kilobytes / 1024 : undefined;
}
