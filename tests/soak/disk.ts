/**
 * A folder on a small disk of its own, which can be filled up.
 *
 * @module
 */

/** A folder for a home. */
export interface Disk extends AsyncDisposable {
  readonly path: string;
  /** Takes away all free space; undefined where the disk is not its own. */
  readonly fill: (() => Promise<void>) | undefined;
  /** Gives it back. */
  free(): Promise<void>;
}

const SIZE = "1536m";

/** Mounts one in memory, where this is allowed; else a plain folder. */
export async function openDisk(): Promise<Disk> {
  const path = await Deno.makeTempDir({ prefix: "rc-soak-" });
  await Deno.chmod(path, 0o755);
  const isMounted = Deno.build.os === "linux" &&
    await run("mount", [
      "-t",
      "tmpfs",
      "-o",
      `size=${SIZE},mode=755`,
      "soak",
      path,
    ]);
  const resize = (size: string) =>
    run("mount", ["-o", `remount,size=${size}`, path]);
  return {
    path,
    fill: isMounted
      ? async () => {
        await resize(await usedBytes(path));
      }
      : undefined,
    async free() {
      if (isMounted) await resize(SIZE);
    },
    async [Symbol.asyncDispose]() {
      if (isMounted) await run("umount", ["-l", path]);
      await Deno.remove(path, { recursive: true });
    },
  };
}

async function usedBytes(path: string): Promise<string> {
  const { stdout } = await new Deno.Command("df", {
    args: ["--output=used", "-B1", path],
  }).output();
  return new TextDecoder().decode(stdout).split("\n")[1]?.trim() ?? SIZE;
}

async function run(name: string, args: readonly string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(name, {
      args: [...args],
      stdout: "null",
      stderr: "null",
    }).output();
    return success;
  } catch {
    return false;
  }
}
