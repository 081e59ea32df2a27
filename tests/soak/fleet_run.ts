/**
 * The fleet's part of a soak: workers of sessions and of triggers, a look at
 * what servers say meanwhile, and the wait for all of it to come to rest.
 *
 * @module
 */
import { type Checker, watchForLies } from "../chaos/checker.ts";
import { promptOf } from "../chaos/traced_agent.ts";
import { callHttp } from "./callers.ts";
import { pause } from "./faults.ts";
import { FleetModel } from "./fleet_model.ts";
import { type FleetVerdict, judgeFleet, noteUnfired } from "./fleet_verdict.ts";
import { FleetWorker } from "./fleet_worker.ts";
import type { Model } from "./model.ts";
import { Random } from "./random.ts";
import {
  makeTriggers,
  type StandingTriggers,
  TriggerWorker,
} from "./trigger_worker.ts";
import type { Call } from "./worker.ts";
import type { World } from "./world.ts";

const SESSION_WORKERS = 4;
const GROUPS = "sessions,triggers";
const POST_LIMIT_MS = 30_000;

/** What is to be done, and with whom. */
export interface FleetRunOptions {
  readonly world: World;
  readonly model: Model;
  readonly seed: number;
  readonly isOver: () => boolean;
  /** Ends when all connections are to be cut. */
  readonly cut: () => AbortSignal;
  /** Most milliseconds until all rests. */
  readonly restLimitMs: number;
  /** Whether what is due later is made due now, once the load has ended. */
  readonly isHastened: boolean;
}

/** One soak's sessions and triggers. */
export class FleetRun {
  readonly #options: FleetRunOptions;
  readonly #fleet: FleetModel;
  /**
   * Keeps no connection: `fetch` sends a request again by itself when a kept one
   * is cut, and what is made is then made twice.
   */
  readonly #client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  #standing: StandingTriggers | undefined;

  constructor(options: FleetRunOptions) {
    this.#options = options;
    this.#fleet = new FleetModel(options.world.traces);
  }

  /** Starts runners, and makes what stands from the start. */
  async begin(): Promise<void> {
    const { world, seed } = this.#options;
    for (const runner of world.runners) runner.start();
    this.#standing = await makeTriggers(this.#call(new Random(seed)));
  }

  /** Works until it is over. */
  async work(): Promise<void> {
    const { seed, isOver } = this.#options;
    const checker = this.#watch();
    const workers = Array.from(
      { length: SESSION_WORKERS },
      (_, n) => this.#workOnSessions(n, new Random(seed * 1_000 + 500 + n)),
    );
    const looking = (async () => {
      while (!isOver()) {
        await this.#look();
        await pause(200);
      }
    })();
    try {
      await Promise.all([
        ...workers,
        this.#workOnTriggers(new Random(seed * 1_000 + 600)),
        looking,
      ]);
    } finally {
      await checker.stop();
      this.#options.model.count("sessions: looks", checker.looks);
    }
  }

  /** Waits for all to rest, judges, and stops the runners. */
  async end(): Promise<FleetVerdict> {
    const { world, model } = this.#options;
    world.wire.hang(false);
    const checker = this.#watch();
    const call = this.#call(new Random(this.#options.seed), { isSteady: true });
    try {
      await this.#goOn(call);
      await this.#untilRest(call);
    } catch (error) {
      model.violate(error instanceof Error ? error.message : String(error));
    } finally {
      await checker.stop();
    }
    const verdict = await judgeFleet(
      world.db,
      this.#fleet,
      world.traces.all,
    );
    for (const runner of world.runners) {
      await runner.stop("SIGTERM");
      const left = await runner.countMarked();
      if (left > 0) model.violate(`${runner.name} left ${left} processes`);
    }
    this.#client.close();
    const { sessions, told } = this.#fleet;
    model.count("sessions: acknowledged", sessions.size);
    model.count("sessions: begun by agents", countOf(world, "begin"));
    model.count(
      "sessions: archived",
      [...sessions.values()].filter((one) => one.isArchived === "yes").length,
    );
    for (const { kind, must, hasEnded } of told.values()) {
      if (must === "once" && hasEnded) model.count(`fleet: ${kind}, and done`);
    }
    return verdict;
  }

  #watch(): Checker {
    const { world: { db, elder, victim, key }, model } = this.#options;
    const fleet = this.#fleet;
    return watchForLies({
      db,
      key,
      urls: [elder.url, victim.url],
      ids: () => [...fleet.sessions.keys()],
      states: (id) => fleet.statesOf(id),
    }, (lie) => model.violate(lie));
  }

  async #workOnSessions(number: number, random: Random): Promise<void> {
    const { model, isOver, world: { db } } = this.#options;
    const fleet = this.#fleet;
    const name = `w${number}`;
    const worker = new FleetWorker({ name, random, model, fleet, db });
    const call = this.#call(random);
    while (!isOver()) {
      await worker.step(call);
      await pause(20);
    }
  }

  async #workOnTriggers(random: Random): Promise<void> {
    const { model, isOver, world } = this.#options;
    const worker = new TriggerWorker({
      random,
      model,
      fleet: this.#fleet,
      hooks: this.#standing?.hooks ?? [],
      post: (path, token) => post(random.pick(urlsOf(world)), path, token),
    });
    const call = this.#call(random);
    while (!isOver()) await worker.step(call);
  }

  /** Calls any of the servers; some callers lose patience. */
  #call(random: Random, { isSteady = false } = {}): Call {
    const { world, cut } = this.#options;
    return (tool, args) => {
      const own = !isSteady && random.chance(2)
        ? [AbortSignal.timeout(1 + random.below(50))]
        : [];
      return callHttp(
        random.pick(urlsOf(world)),
        world.key,
        { tool, args, groups: GROUPS, client: this.#client },
        AbortSignal.any([cut(), ...own]),
      );
    };
  }

  /** Reads what agents did, and which firings came to nothing. */
  async #look(): Promise<void> {
    await this.#fleet.look();
    // PostgreSQL may be on its way up.
    await noteUnfired(this.#options.world.db, this.#fleet).catch(() => {});
  }

  /** Ends what recurs. */
  async #goOn(call: Call): Promise<void> {
    for (const id of this.#standing?.recurring ?? []) {
      await insist(call, "action_trigger", {
        action: "update",
        id,
        status: "disabled",
      });
    }
  }

  /** @throws {Error} Something never came to rest. */
  async #untilRest(call: Call): Promise<void> {
    const { world: { db }, restLimitMs, isHastened } = this.#options;
    const deadline = performance.now() + restLimitMs;
    for (;;) {
      await this.#releasePaused(call);
      if (isHastened) await hasten(db);
      await this.#look();
      const open = await db.read<{ what: string }>(OPEN);
      const waiting = [...this.#fleet.waiting];
      if (open.length === 0 && waiting.length === 0) return;
      if (performance.now() > deadline) {
        const left = [
          ...open.map(({ what }) => what),
          ...waiting.map(({ token, kind }) => `${token} (${kind})`),
        ];
        throw new Error(`Never at rest: ${left.slice(0, 40).join("; ")}`);
      }
      await pause(250);
    }
  }

  /** Somebody goes on with each session that a pause holds. */
  async #releasePaused(call: Call): Promise<void> {
    const { world: { db }, model } = this.#options;
    const fleet = this.#fleet;
    const held = await db.read<{ id: string }>(
      "select id from sessions where paused_by = 'user' and status <> 'archived'",
    );
    for (const { id } of held) {
      const session = fleet.sessions.get(Number(id));
      if (session?.mayBePaused !== true) {
        model.violate(`Session ${id} is paused, and no pause was answered so`);
      }
      const told = fleet.tell(
        `on-${id}-${fleet.told.size}`,
        "told",
        Number(id),
      );
      const isDone = await insist(call, "action_session", {
        action: "follow_up",
        session_id: id,
        prompt: promptOf(told.token, 0),
      });
      if (isDone) fleet.acknowledge(told);
    }
  }
}

/** What is still under way, or still to come. */
const OPEN =
  `select format('session %s is %s, %s', id, status, wait_reason) as what
    from sessions where driven_by = 'runner' and status in ('running', 'waiting')
  union all
  select format('message %s of session %s waits', id, session_id)
    from enqueued_messages where status in ('pending', 'processing')
  union all
  select format('trigger %s ("%s") is due', t.id, t.name) from triggers t
    join trigger_conditions c on c.trigger_id = t.id
    where t.status = 'enabled' and (t.is_wake or c.due_at is not null)
  union all
  select format('job %s is %s', left(data::text, 200), state)
    from rootcellar_jobs.job
    where name = 'triggers' and state in ('created', 'retry', 'active')`;

/** Wakes and jobs are due now; what a killed server had is free again. */
async function hasten(db: World["db"]): Promise<void> {
  await db.write(
    "update trigger_conditions set due_at = now() where due_at > now()",
  );
  await db.write(
    `update rootcellar_jobs.job set state = 'retry', start_after = now()
     where state = 'retry' or (state = 'active'
       and started_on < now() - interval '5 seconds')`,
  );
}

function urlsOf({ victim, elder, wire }: World): readonly string[] {
  return [victim.url, elder.url, wire.url];
}

function countOf({ traces }: World, kind: string): number {
  return traces.all.filter((one) => one.kind === kind).length;
}

/** Calls until it is answered; whether it was done. */
async function insist(
  call: Call,
  tool: string,
  args: unknown,
): Promise<boolean> {
  for (let n = 0; n < 20; n++) {
    const { kind } = await call(tool, args);
    if (kind === "done") return true;
    await pause(500);
  }
  return false;
}

async function post(
  url: string,
  path: string,
  token: string,
): Promise<number | undefined> {
  try {
    const response = await fetch(new URL(path, url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": token,
      },
      body: JSON.stringify({ token }),
      signal: AbortSignal.timeout(POST_LIMIT_MS),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}
