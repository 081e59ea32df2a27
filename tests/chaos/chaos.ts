/**
 * Messages to sessions while everything that carries them is killed at random:
 * servers, runners, agents, PostgreSQL. What must hold is looked at all the
 * time, and counted at the end.
 *
 * @module
 */
import { followUp, startSession, UNRESTRICTED } from "../../fleet/mod.ts";
import { openCatalog } from "../../catalog/mod.ts";
import { Random } from "../soak/random.ts";
import { mainFolder } from "../support/process.ts";
import { watchForLies } from "./checker.ts";
import { type FleetWorld, openFleetWorld } from "./fleet_world.ts";
import { whyOver } from "./over.ts";
import { promptOf, type Trace } from "./traced_agent.ts";

/** How much of it. */
export interface ChaosOptions {
  /** Sessions. */
  readonly sessions: number;
  /** Messages to each. */
  readonly messages: number;
  /** Kills; none once all is done. */
  readonly kills: number;
  /** What a server loads first. */
  readonly durations: string;
  /** Decides what is killed. */
  readonly seed: number;
  /** Most milliseconds that all of it may take. */
  readonly limitMs: number;
  /** Told of each kill. */
  readonly report?: (line: string) => void;
}

/** What came of it. */
export interface ChaosReport {
  /** What did not hold. */
  readonly violations: readonly string[];
  /** Kills, by what was killed. */
  readonly kills: Readonly<Record<string, number>>;
  /** Looks of the checker. */
  readonly looks: number;
  /** Turns that ended well. */
  readonly done: number;
}

/** Runs it. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  await using world = await openFleetWorld(options.durations);
  const ids = await startAll(world, options);
  for (const runner of world.runners) runner.start();
  const wanted = options.sessions * options.messages;
  const violations: string[] = [];
  const kills: Record<string, number> = {};
  const checker = watchForLies(
    { ...world, urls: world.servers.map(({ url }) => url), ids: () => ids },
    (lie) => violations.push(lie),
  );
  try {
    await killAtRandom(world, options, { wanted, kills });
    await until(
      () => isDone(world, wanted),
      () => `not all of ${wanted} turns were done`,
      options.limitMs,
    );
    await until(() => allRest(world, ids), () => "not all rest", 60_000);
  } catch (error) {
    violations.push(error instanceof Error ? error.message : String(error));
  } finally {
    await checker.stop();
  }
  violations.push(...await judge(world, ids, options.messages));
  for (const runner of world.runners) {
    await runner.stop("SIGTERM");
    const left = await runner.countMarked();
    if (left > 0) violations.push(`${runner.name} left ${left} processes`);
  }
  return {
    violations: [...new Set(violations)],
    kills,
    looks: checker.looks,
    done: await countDone(world),
  };
}

/** Sessions and all their messages, before anything is killed. */
async function startAll(
  { db }: FleetWorld,
  { sessions, messages }: ChaosOptions,
): Promise<readonly number[]> {
  await using catalog = openCatalog({
    source: mainFolder("tests/data/roots.json"),
  });
  const store = {
    isEmbedded: false,
    db: () => Promise.resolve(db),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const fleet = { catalog, store, groupNames: ["root_data"] };
  const ids: number[] = [];
  for (let n = 0; n < sessions; n++) {
    const { session } = await startSession(fleet, {
      agentRoot: "gardener",
      agentRuntime: "command",
      drivenBy: "runner",
      withToken: false,
      prompt: promptOf("1"),
      // Priority: the gate of spot work is not what is looked at.
      schedulingClass: "priority",
    });
    for (let m = 2; m <= messages; m++) {
      await followUp(fleet, UNRESTRICTED, session.id, {
        content: promptOf(`${m}`),
      });
    }
    ids.push(session.id);
  }
  return ids;
}

async function killAtRandom(
  world: FleetWorld,
  { kills: count, seed, limitMs, report }: ChaosOptions,
  { wanted, kills }: {
    readonly wanted: number;
    readonly kills: Record<string, number>;
  },
): Promise<void> {
  const random = new Random(seed);
  const kinds = ["server", "runner", "agent", "PostgreSQL"];
  let order: string[] = [];
  for (let n = 0; n < count; n++) {
    // Each kill comes while agents are at work.
    const seen = await countBegun(world);
    let isOver = false;
    await until(
      async () => {
        isOver = await isDone(world, wanted);
        return isOver || await countBegun(world) > seen;
      },
      () => "no agent began after a kill",
      limitMs,
    );
    if (isOver) return;
    if (order.length === 0) order = random.shuffle(kinds);
    const kind = order.pop() ?? "agent";
    kills[kind] = (kills[kind] ?? 0) + 1;
    report?.(`${kind} is killed`);
    await kill(world, kind, random);
  }
}

async function kill(
  world: FleetWorld,
  kind: string,
  random: Random,
): Promise<void> {
  if (kind === "PostgreSQL") return await world.killPostgres();
  if (kind === "agent") {
    for (const runner of random.shuffle(world.runners)) {
      if (await runner.killAgents()) return;
    }
    return;
  }
  const { servers, runners } = world;
  const one = random.pick([...kind === "server" ? servers : runners]);
  await one.stop("SIGKILL");
  await one.start();
}

/** Each message began and ended, in order, and never again after the next. */
async function judge(
  { traces, db }: FleetWorld,
  ids: readonly number[],
  messages: number,
): Promise<readonly string[]> {
  const violations: string[] = [];
  await traces.read();
  for (
    const { sessionId } of traces.all.filter(({ kind }) => kind === "double")
  ) {
    violations.push(`Two agents of session ${sessionId} were alive`);
  }
  const wanted = Array.from({ length: messages }, (_, n) => String(n + 1));
  for (const id of ids) {
    const own = (kind: Trace["kind"]) =>
      traces.all.filter((one) => one.sessionId === id && one.kind === kind)
        .map(({ token }) => token);
    const begun = own("begin");
    const order = begun.filter((n, at) => n !== begun[at - 1]);
    if (order.join() !== wanted.join()) {
      violations.push(`Session ${id} began its messages as ${begun.join()}`);
    }
    const ended = new Set(own("end"));
    if (ended.size !== messages) {
      violations.push(`Session ${id} ended ${[...ended].join()}`);
    }
    const [turns] = await db.read<{ n: number }>(
      "select count(*)::int as n from turns where session_id = $1 and outcome = 'done'",
      [id],
    );
    if (turns?.n !== messages) {
      violations.push(`Session ${id} has ${turns?.n} turns that are done`);
    }
  }
  return violations;
}

async function countBegun({ traces }: FleetWorld): Promise<number> {
  await traces.read();
  return traces.all.filter(({ kind }) => kind === "begin").length;
}

/**
 * Whether all turns are done.
 *
 * @throws {Error} They never will be: nobody is left who could go on.
 */
async function isDone(world: FleetWorld, wanted: number): Promise<boolean> {
  if (await countDone(world) >= wanted) return true;
  const why = await whyOver(world.db).catch(() => undefined);
  if (why === undefined || await countDone(world) >= wanted) return false;
  throw new Error(`${wanted} turns were to be done, and ${why}`);
}

async function countDone({ db }: FleetWorld): Promise<number> {
  try {
    const [row] = await db.read<{ n: number }>(
      "select count(*)::int as n from turns where outcome = 'done'",
    );
    return row?.n ?? 0;
  } catch {
    return 0; // PostgreSQL is on its way up.
  }
}

async function allRest(
  { db }: FleetWorld,
  ids: readonly number[],
): Promise<boolean> {
  const [row] = await db.read<{ n: number }>(
    `select count(*)::int as n from sessions s where s.status = 'needs_input'
     and not exists (select from enqueued_messages m where m.session_id = s.id)`,
  ).catch(() => []);
  return row?.n === ids.length;
}

/** Waits for a condition. @throws {Error} It never held. */
async function until(
  holds: () => Promise<boolean>,
  what: () => string,
  limitMs: number,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error(`Too late: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
