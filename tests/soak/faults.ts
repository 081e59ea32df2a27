/**
 * The faults, one at a time: what breaks, and what is put right again after it.
 *
 * @module
 */
import { runVerb } from "../support/process.ts";
import type { Model } from "./model.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** Where faults do their work. */
export interface FaultContext {
  readonly world: World;
  readonly model: Model;
  readonly random: Random;
  /** Cuts the connections of all calls that are under way. */
  readonly cutCalls: () => void;
}

/** A fault. */
export interface Fault {
  readonly name: string;
  /** Whether it can be made in this world. */
  readonly isPossible?: (world: World) => boolean;
  run(context: FaultContext): Promise<void>;
}

/** All faults that there are. */
export const FAULTS: readonly Fault[] = [
  {
    name: "server killed (SIGKILL) and started again",
    async run({ world: { victim } }) {
      try {
        await victim.stop("SIGKILL");
      } finally {
        await victim.start();
      }
    },
  },
  {
    name: "server stopped (SIGTERM) and started again",
    async run({ world: { victim }, model }) {
      try {
        const code = await victim.stop("SIGTERM");
        if (code !== 0) model.violate(`A stopped server exits with ${code}`);
      } finally {
        await victim.start();
      }
    },
  },
  {
    name: "server paused (SIGSTOP) for two seconds",
    async run({ world: { victim } }) {
      const { pid } = victim;
      Deno.kill(pid, "SIGSTOP");
      await pause(2_000);
      Deno.kill(pid, "SIGCONT");
    },
  },
  {
    name: "PostgreSQL killed (SIGKILL)",
    async run({ world }) {
      const pid = await world.postmaster();
      if (pid !== undefined) kill(pid);
    },
  },
  {
    name: "one PostgreSQL backend killed (SIGKILL)",
    async run({ world: { db } }) {
      const [row] = await db.read<{ pid: number }>(
        "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() order by random() limit 1",
      );
      if (row !== undefined) kill(row.pid);
    },
  },
  {
    name: "all database connections cut (pg_terminate_backend)",
    async run({ world: { db } }) {
      await db.read(
        "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
      );
    },
  },
  {
    name: "all client connections cut",
    run({ cutCalls }) {
      cutCalls();
      return Promise.resolve();
    },
  },
  {
    name: "connections of a runner and of callers cut",
    run({ world: { wire } }) {
      wire.cut();
      return Promise.resolve();
    },
  },
  {
    name: "connections of a runner and of callers hung for three seconds",
    async run({ world: { wire }, random }) {
      wire.hang(true);
      await pause(3_000);
      if (random.chance(50)) wire.cut();
      wire.hang(false);
    },
  },
  {
    name: "runner killed (SIGKILL) and started again",
    async run({ world: { runners }, random }) {
      const runner = random.pick(runners);
      await runner.stop("SIGKILL");
      runner.start();
    },
  },
  {
    name: "runner stopped (SIGTERM) and started again",
    async run({ world: { runners }, random }) {
      const runner = random.pick(runners);
      await runner.stop("SIGTERM");
      runner.start();
    },
  },
  {
    name: "runner paused (SIGSTOP) for two seconds",
    async run({ world: { runners }, random }) {
      const runner = random.pick(runners);
      runner.signal("SIGSTOP");
      await pause(2_000);
      runner.signal("SIGCONT");
    },
  },
  {
    name: "agents of a runner killed (SIGKILL)",
    async run({ world: { runners }, random }) {
      for (const runner of random.shuffle(runners)) {
        if (await runner.killAgents()) return;
      }
    },
  },
  {
    name: "disk full for three seconds",
    isPossible: ({ disk }) => disk.fill !== undefined,
    async run({ world: { disk } }) {
      const end = performance.now() + 3_000;
      try {
        while (performance.now() < end) {
          await disk.fill?.();
          await pause(100);
        }
      } finally {
        await disk.free();
      }
    },
  },
  {
    name: "clock of a server stepped by up to an hour",
    isPossible: ({ setClock }) => setClock !== undefined,
    async run({ world: { setClock }, random }) {
      await setClock?.(random.below(7_200) - 3_600);
    },
  },
  {
    name: "database clock stepped: all rate windows moved by up to two minutes",
    async run({ world: { db }, model, random }) {
      // Twice, since the statement takes effect somewhere in between.
      model.windowMoves.push(performance.now());
      await db.write(
        "update agent_root_record_counters set window_started_at = window_started_at + make_interval(secs => $1::int)",
        [random.below(240) - 120],
      );
      model.windowMoves.push(performance.now());
    },
  },
  {
    name: "collection expired, and swept by two processes at once",
    async run({ world: { db, env }, model }) {
      model.expire("old");
      await db.write(
        "update agent_root_records set expires_at = now() - interval '1 second' where collection = 'old'",
      );
      const sweeps = await Promise.all([
        runVerb(["sweep"], env),
        runVerb(["sweep"], env),
      ]);
      for (const { code, stdout, stderr } of sweeps) {
        if (code !== 0) model.violate(`A sweep exits with ${code}: ${stderr}`);
        else noteDrift(stdout, model);
      }
    },
  },
  {
    name: "backup while all is in use",
    async run({ world: { disk, env }, model }) {
      const path = `${disk.path}/backup.gz`;
      const { code, stderr } = await runVerb(["db", "backup", path], env);
      if (code !== 0) model.violate(`A backup exits with ${code}: ${stderr}`);
    },
  },
];

/** A sweep repairs counters that are wrong: they never should have been. */
export function noteDrift(report: string, model: Model): void {
  const { drift } = JSON.parse(report);
  if (drift.length > 0) {
    model.violate(`Counter drift: ${JSON.stringify(drift)}`);
  }
}

/** Waits; a soak is made of time. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
