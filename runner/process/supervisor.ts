/**
 * A small process beside each turn that outlives its runner by a moment.
 *
 * It holds the runner's pipe. When that ends, however the runner ended, it
 * kills what carries the turn's marker and goes.
 *
 * @module
 */
import { HAS_SWEEP, MARKER_VARIABLE } from "./marker.ts";

/**
 * In the words of the plainest shell, so that it starts at once and weighs
 * nothing. `$1` is the marker, whole.
 */
const SCRIPT = `cat >/dev/null
round=0
while [ $round -lt 20 ]; do
  found=
  for file in $(grep -lszxF -e "${MARKER_VARIABLE}=$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/environ}" && found=1
  done
  [ -z "$found" ] && exit 0
  round=$((round + 1))
done`;

/** The supervisor of a turn; disposing it lets it look once more, and go. */
export type Supervisor = AsyncDisposable;

/** Starts it; undefined where processes cannot be found by their marker. */
export function superviseTurn(marker: string): Supervisor | undefined {
  if (!HAS_SWEEP) return undefined;
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", SCRIPT, "rootcellar-supervisor", marker],
    clearEnv: true,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    // Who hangs up on the runner's terminal does not end it.
    detached: true,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      await child.stdin.close().catch(() => {}); // It was killed.
      await child.status;
    },
  };
}
