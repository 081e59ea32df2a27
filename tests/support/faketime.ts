/**
 * A clock of its own for a process, through Debian's libfaketime, where it is
 * installed. Only the time of day is changed; timers run as ever.
 *
 * @module
 */

const LIBRARIES = ["x86_64", "aarch64"].map((machine) =>
  `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`
);

async function findLibrary(): Promise<string | undefined> {
  for (const path of LIBRARIES) {
    if (await Deno.stat(path).catch(() => undefined) !== undefined) return path;
  }
  return undefined;
}

const library = await findLibrary();

/** Whether it is installed here; tests that need it are skipped where not. */
export const HAS_FAKETIME = library !== undefined;

/**
 * Environment of a process whose clock starts at a UTC time
 * (`2026-01-01 00:34:57`), or whose offset stands in a file (`+3600`).
 */
export function clockEnv(
  clock: { readonly at: string } | { readonly file: string },
): Record<string, string> {
  return {
    LD_PRELOAD: library ?? "",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    TZ: "UTC",
    ...("at" in clock
      ? { FAKETIME: `@${clock.at}` }
      : { FAKETIME_TIMESTAMP_FILE: clock.file, FAKETIME_CACHE_DURATION: "1" }),
  };
}
