/**
 * The soak: workers and faults side by side for a time, then the verdict.
 *
 * @module
 */
import { runVerb } from "../support/process.ts";
import { callHttp, StdioClient } from "./callers.ts";
import { FleetRun } from "./fleet_run.ts";
import { FAULTS, noteDrift, pause } from "./faults.ts";
import { Model } from "./model.ts";
import { CAN_LOOK, processesOf, residentMemory } from "./processes.ts";
import { Random } from "./random.ts";
import { beyondCaps, judge, untouched, type Verdict } from "./verdict.ts";
import { type Call, Worker } from "./worker.ts";
import { openWorld, type World } from "./world.ts";

/** How long and how much. */
export interface SoakOptions {
  readonly seconds: number;
  readonly seed: number;
  /** `short`: leases and rests are, and what is due later is due at the end. */
  readonly pace: "real" | "short";
  /** Told what goes on. */
  readonly report?: (line: string) => void;
}

/** What came out. */
export interface SoakReport extends Verdict {
  readonly ok: boolean;
  readonly seed: number;
  readonly seconds: number;
  /** Calls by outcome. */
  readonly counts: Readonly<Record<string, number>>;
  /** Faults made, by name. */
  readonly faults: Readonly<Record<string, number>>;
  /** Faults that cannot be made here. */
  readonly impossible: readonly string[];
  /** What callers saw and never should. */
  readonly violations: readonly string[];
  /** Processes of the home that were left at the end. */
  readonly leaked: readonly string[];
  /** MiB of the server that lives through it all; undefined where it is short. */
  readonly memory:
    | { readonly early: number; readonly late: number }
    | undefined;
}

const HTTP_WORKERS = 8;
const STDIO_WORKERS = 2;
const FAULT_PAUSE_MS = 1_500;
const SAMPLE_MS = 1_000;
const END_LIMIT_MS = 30_000;
/** A job that a killed server had is tried again minutes later, and rests settle. */
const REST_LIMIT_MS = 1_200_000;
const DURATIONS = {
  real: import.meta.resolve("../chaos/real_turns.ts"),
  short: import.meta.resolve("../chaos/short_turns.ts"),
};
/** Growth of a server that is no leak, over six of ten minutes. */
const GROWTH_LIMIT_MIB = 32;
/** Below that, memory still settles. */
const MIN_SAMPLES = 120;

/** Runs a soak. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { seconds, seed, pace, report = () => {} } = options;
  await using world = await openWorld(DURATIONS[pace]);
  const run = new Run(world, options);
  report(
    `Home ${world.home}; ${HTTP_WORKERS} workers over HTTP, ${STDIO_WORKERS} over stdio, sessions on ${world.runners.length} runners`,
  );
  const impossible = FAULTS.filter((one) => one.isPossible?.(world) === false);
  await run.begin();
  await Promise.all([run.work(), run.makeFaults(), run.watch()]);
  report("The load has ended");
  const verdict = await run.end();
  const { model } = run;
  const memory = memoryOf(run.samples);
  const lists = [...Object.values(verdict), model.violations, run.leaked];
  const isSteady = memory === undefined ||
    memory.late - memory.early <= GROWTH_LIMIT_MIB;
  return {
    ok: lists.every((list) => list.length === 0) && isSteady,
    seed,
    seconds,
    counts: model.counts,
    faults: run.faults,
    impossible: impossible.map(({ name }) => name),
    violations: model.violations,
    leaked: run.leaked,
    memory,
    ...verdict,
  };
}

class Run {
  readonly model: Model;
  readonly faults: Record<string, number> = {};
  readonly samples: number[] = [];
  readonly #world: World;
  readonly #options: SoakOptions;
  readonly #fleet: FleetRun;
  #end = Infinity;
  #cut = new AbortController();
  leaked: string[] = [];

  constructor(world: World, options: SoakOptions) {
    this.#world = world;
    this.#options = options;
    this.model = new Model((text) => options.report?.(`Wrong: ${text}`));
    this.#fleet = new FleetRun({
      world,
      model: this.model,
      seed: options.seed,
      isOver: () => this.#isOver,
      cut: () => this.#cut.signal,
      restLimitMs: REST_LIMIT_MS,
      isHastened: options.pace === "short",
    });
  }

  /** Makes what has to stand before anything breaks; time begins after it. */
  async begin(): Promise<void> {
    await this.#fleet.begin();
    this.#end = performance.now() + this.#options.seconds * 1000;
  }

  get #isOver(): boolean {
    return performance.now() >= this.#end;
  }

  async work(): Promise<void> {
    await Promise.all([
      this.#fleet.work(),
      ...Array.from({ length: HTTP_WORKERS }, (_, n) => this.#workOverHttp(n)),
      ...Array.from(
        { length: STDIO_WORKERS },
        (_, n) => this.#workOverStdio(HTTP_WORKERS + n),
      ),
    ]);
  }

  #worker(number: number) {
    const { sessions } = this.#world;
    const random = new Random(this.#options.seed * 1_000 + number);
    // Sessions of one root come in threes: several workers share a root.
    const session = sessions[(number * 7) % sessions.length];
    if (session === undefined) throw new Error("No session");
    const { root } = session;
    const worker = new Worker({ number, root, random, model: this.model });
    return { worker, session, random };
  }

  async #workOverHttp(number: number): Promise<void> {
    const { worker, session, random } = this.#worker(number);
    const { victim, elder } = this.#world;
    while (!this.#isOver) {
      const { url } = random.chance(50) ? victim : elder;
      const own = random.chance(2)
        ? AbortSignal.timeout(1 + random.below(20))
        : undefined;
      const call: Call = (tool, args) => {
        const { signal } = this.#cut;
        return callHttp(
          url,
          session.token,
          { tool, args },
          own === undefined ? signal : AbortSignal.any([signal, own]),
        );
      };
      const began = performance.now();
      await worker.step(call);
      // A server that is down refuses at once: no need to ask a thousand times.
      if (performance.now() - began < 2) await pause(5);
    }
  }

  /** One process after the other, each ended in another way. */
  async #workOverStdio(number: number): Promise<void> {
    const { worker, session, random } = this.#worker(number);
    while (!this.#isOver) {
      const client = new StdioClient(session.id, this.#world.env);
      const steps = 5 + random.below(60);
      const call: Call = (tool, args) => client.call(tool, args);
      for (let n = 0; n < steps && !this.#isOver; n++) await worker.step(call);
      const how = random.pick(["input", "SIGTERM", "SIGKILL"] as const);
      const last = random.chance(50) ? worker.step(call) : undefined;
      const code = await client.end(how);
      await last;
      this.model.count("stdio processes");
      if (how !== "SIGKILL" && code !== 0) {
        this.model.violate(
          `A stdio process ended by ${how} exits with ${code}`,
        );
      }
    }
  }

  async makeFaults(): Promise<void> {
    const random = new Random(this.#options.seed);
    const possible = FAULTS.filter((one) =>
      one.isPossible?.(this.#world) !== false
    );
    // Each once, in an order that the seed says, and then any.
    const first = random.shuffle(possible);
    for (let n = 0;; n++) {
      await pause(FAULT_PAUSE_MS);
      if (this.#isOver) return;
      const fault = first[n] ?? random.pick(possible);
      this.#options.report?.(`${this.#clock()} ${fault.name}`);
      this.faults[fault.name] = (this.faults[fault.name] ?? 0) + 1;
      try {
        await fault.run({
          world: this.#world,
          model: this.model,
          random,
          cutCalls: () => {
            this.#cut.abort();
            this.#cut = new AbortController();
          },
        });
      } catch (error) {
        this.model.violate(`${fault.name}: ${error}`);
      }
    }
  }

  #clock(): string {
    const { seconds } = this.#options;
    const left = (this.#end - performance.now()) / 1000;
    return `${Math.round(seconds - left)} s`.padStart(6);
  }

  /** Samples memory, and looks whether caps hold in between. */
  async watch(): Promise<void> {
    while (!this.#isOver) {
      await pause(SAMPLE_MS);
      const memory = await residentMemory(this.#world.elder.pid);
      if (memory !== undefined) this.samples.push(memory);
      const found = await beyondCaps(this.#world.db).catch(() => []);
      for (const what of found) this.model.violate(what);
    }
  }

  /** Lets all come to rest, judges, and stops everything. */
  async end(): Promise<Verdict> {
    const { world, model } = this;
    await world.disk.free();
    const { wrong, ...fleet } = await this.#fleet.end();
    for (const what of wrong) model.violate(what);
    for (const server of [world.victim, world.elder]) {
      try {
        const code = await server.stop("SIGTERM");
        if (code !== 0) model.violate(`A server exits with ${code}`);
      } catch (error) {
        model.violate(String(error));
      }
    }
    // What callers gave up on may still run, and may have killed PostgreSQL last.
    const doctor = await runVerb(["migrate"], world.env);
    if (doctor.code !== 0) model.violate(`At the end: ${doctor.stderr}`);
    await this.#untilQuiet();
    const stored = await judge(world.db, model);
    const verdict = {
      ...stored,
      lost: [...stored.lost, ...fleet.lost],
      duplicated: [...stored.duplicated, ...fleet.duplicated],
      unexplained: [...stored.unexplained, ...fleet.unexplained],
    };
    for (const what of await untouched(world.db)) model.violate(what);
    const sweep = await runVerb(["sweep"], world.env);
    if (sweep.code === 0) noteDrift(sweep.stdout, model);
    else model.violate(`The last sweep: ${sweep.stderr}`);
    await world.leave();
    // The last one out stops PostgreSQL.
    const status = await runVerb(["session", "list"], world.env);
    if (status.code !== 0) model.violate(`The last call: ${status.stderr}`);
    this.leaked = await leftOn(world.home);
    return verdict;
  }

  get world(): World {
    return this.#world;
  }

  async #untilQuiet(): Promise<void> {
    const deadline = performance.now() + END_LIMIT_MS;
    for (;;) {
      const rows = await this.#world.db.read(
        "select query from pg_stat_activity where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()",
      );
      if (rows.length === 0) return;
      if (performance.now() > deadline) {
        return this.model.violate(`Never quiet: ${JSON.stringify(rows)}`);
      }
      await pause(50);
    }
  }
}

/** Processes that do not go away. */
async function leftOn(home: string): Promise<string[]> {
  if (!CAN_LOOK) return [];
  const deadline = performance.now() + END_LIMIT_MS;
  for (;;) {
    const found = await processesOf(home);
    if (found.length === 0) return [];
    if (performance.now() > deadline) return found;
    await pause(100);
  }
}

/** Medians of the fourth and the last tenth: a heap takes a while to settle. */
function memoryOf(samples: readonly number[]): SoakReport["memory"] {
  if (samples.length < MIN_SAMPLES) return undefined;
  const tenth = Math.floor(samples.length / 10);
  const median = (list: readonly number[]) =>
    list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;
  return {
    early: median(samples.slice(3 * tenth, 4 * tenth)),
    late: median(samples.slice(-tenth)),
  };
}
