/**
 * Files that agents need in their home, written where there are none: a person
 * may have changed them.
 *
 * @module
 */
import { runAs } from "../process/run_as.ts";
import type { Folders } from "../folders.ts";
import type { HomeFile } from "./acp/profile.ts";

const WRITE_NEW = `[ -e "$1" ] || {
  umask 077 && mkdir -p -- "$(dirname -- "$1")" && cat > "$1"
}`;

/** Writes them; the paths of those that cannot be written. */
export async function writeHomeFiles(
  files: readonly HomeFile[],
  { home, agentUser }: Pick<Folders, "home" | "agentUser">,
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { path, text } of files) {
    const code = await runAs({ cwd: home, owner: agentUser }, WRITE_NEW, {
      argument: path,
      input: new TextEncoder().encode(text),
    });
    if (code !== 0) failed.push(`${home}/${path}`);
  }
  return failed;
}
