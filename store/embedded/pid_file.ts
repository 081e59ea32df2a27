/**
 * `postmaster.pid`: what a running server writes down about itself.
 *
 * @module
 */

/** The lines that matter here. */
export interface PidFile {
  /** Process id of the server, at the time of writing. */
  readonly pid: number;
  /** Whether it takes connections. */
  readonly isReady: boolean;
}

/** No process has this id, and none can. */
const NOBODY = 2_147_483_647;
const STATUS_LINE = 7;

/** Reads the file; undefined when there is none or it is not written yet. */
export async function readPidFile(data: string): Promise<PidFile | undefined> {
  const lines = (await read(data)).split("\n");
  const pid = Number.parseInt(lines[0] ?? "", 10);
  if (!(pid > 0)) return undefined;
  return { pid, isReady: lines[STATUS_LINE]?.trim() === "ready" };
}

/**
 * Makes the file name a process that cannot exist.
 *
 * For a file left from before a restart of the machine, whose id now belongs to
 * an unrelated process: PostgreSQL would wait for that process for ever. The
 * file stays, because it also names the shared memory by which PostgreSQL
 * notices children of a dead server that still run.
 */
export async function disownPidFile(data: string): Promise<void> {
  const text = await read(data);
  if (text === "") return;
  await Deno.writeTextFile(
    `${data}/postmaster.pid`,
    text.replace(/^[^\n]*/, String(NOBODY)),
    { create: false },
  );
}

function read(data: string): Promise<string> {
  return Deno.readTextFile(`${data}/postmaster.pid`).catch(() => "");
}
