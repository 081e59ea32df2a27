/**
 * What a turn may take of its machine: memory and number of processes.
 *
 * @module
 */
import { findMarked, HAS_SWEEP } from "./marker.ts";

/** Ceilings of a turn. */
export interface Ceilings {
  /** Memory of all its processes together, in bytes. */
  readonly memoryBytes: number;
  /** Processes at once. */
  readonly processes: number;
}

/** What went beyond its ceiling. */
export interface Excess {
  /** Which ceiling. */
  readonly class: "over_memory" | "over_processes";
  /** How much there is, and how much there may be. */
  readonly detail: string;
}

/** Looks once; undefined while all is well, and where nothing can be seen. */
export async function findExcess(
  marker: string,
  { memoryBytes, processes }: Ceilings,
): Promise<Excess | undefined> {
  if (!HAS_SWEEP) return undefined;
  const found = await findMarked(marker);
  if (found.length > processes) {
    return {
      class: "over_processes",
      detail:
        `The agent has ${found.length} processes, and a turn may have ${processes}; RUNNER_PROCESSES raises that`,
    };
  }
  const bytes = found.reduce((sum, one) => sum + one.residentBytes, 0);
  if (bytes <= memoryBytes) return undefined;
  return {
    class: "over_memory",
    detail: `The agent's processes hold ${
      inMib(bytes)
    } MiB, and a turn may have ${
      inMib(memoryBytes)
    }; RUNNER_MEMORY_MB raises that`,
  };
}

function inMib(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
