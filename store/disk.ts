/**
 * Room on the disk that holds an embedded PostgreSQL: one that is full takes no
 * writes, and a day before that is when its operator should hear of it.
 *
 * @module
 */
/** Below this the database may refuse writes at any moment. */
export const LEAST_FREE_BYTES = 64 * 1024 * 1024;
/** Below this an operator should make room. */
export const LOW_FREE_BYTES = 1024 * 1024 * 1024;

/** How much room is left for a database. */
export interface DiskSpace {
  /** Bytes that its user may still write. */
  readonly freeBytes: number;
  /** `full`: writes are refused or soon will be. */
  readonly state: "ok" | "low" | "full";
  /** What there is to say of it, in one sentence. */
  readonly complaint?: string;
}

/** Judges the room that is left. */
export function judgeSpace(freeBytes: number): DiskSpace {
  const left = `${Math.floor(freeBytes / (1024 * 1024))} MiB left`;
  if (freeBytes < LEAST_FREE_BYTES) {
    const complaint =
      `The database's disk is full, or soon will be (${left}): make room, or writes are refused`;
    return { freeBytes, state: "full", complaint };
  }
  if (freeBytes < LOW_FREE_BYTES) {
    const complaint =
      `The database's disk has ${left}: make room before it is full`;
    return { freeBytes, state: "low", complaint };
  }
  return { freeBytes, state: "ok" };
}

/** Looks at the disk of a home's cluster; undefined where that cannot be told. */
export async function readSpace(home: string): Promise<DiskSpace | undefined> {
  // Loaded when it is asked for: no start needs it.
  const { statfs } = await import("node:fs/promises");
  // The cluster of a home may lie elsewhere: the home then links there.
  for (const path of [`${home}/cluster`, home]) {
    try {
      const { bavail, bsize } = await statfs(path);
      return judgeSpace(bavail * bsize);
    } catch {
      continue;
    }
  }
  return undefined;
}
