/**
 * The machine that figures were measured on.
 *
 * @module
 */

import { cpus } from "node:os";

/** Facts that a figure depends on. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly system: string;
  readonly deno: string;
  readonly v8: string;
  /** Runnable processes over the last minute, before the run. */
  readonly load: number;
}

/** Load for each core above which figures are not to be trusted. */
const HIGH_LOAD = 0.3;

/** Looks at the machine. */
export function describeMachine(): Machine {
  return {
    cores: navigator.hardwareConcurrency,
    cpu: cpus()[0]?.model ?? "unknown CPU",
    memoryGiB: Math.round(Deno.systemMemoryInfo().total / 2 ** 30),
    system: `${Deno.build.os} ${Deno.osRelease()} ${Deno.build.arch}`,
    deno: Deno.version.deno,
    v8: Deno.version.v8,
    load: Deno.loadavg()[0] ?? 0,
  };
}

/** The machine in two lines, with a warning where it is busy. */
export function machineText(machine: Machine): string {
  const { cores, cpu, memoryGiB, system, deno, v8, load } = machine;
  const lines = [
    `${cores} cores (${cpu}), ${memoryGiB} GiB, ${system}; Deno ${deno}, V8 ${v8}`,
    `load average before the run: ${load.toFixed(2)}`,
  ];
  if (isBusy(machine)) {
    lines.push(
      "WARNING: the machine is busy. Trust the ratios more than the times, and neither much",
    );
  }
  return lines.join("\n");
}

/** Whether others were at work when the run began. */
export function isBusy({ load, cores }: Machine): boolean {
  return load > HIGH_LOAD * cores;
}
