/**
 * A worker of the fleet: starts sessions, says things to them, lets them sleep
 * until a time or until another one rests, pauses and archives them.
 *
 * @module
 */
import { promptOf } from "../chaos/traced_agent.ts";
import type { Db } from "../../store/pg/mod.ts";
import type { Answer } from "./answer.ts";
import { pause } from "./faults.ts";
import type { FleetModel, FleetSession, Told } from "./fleet_model.ts";
import type { Model } from "./model.ts";
import type { Random } from "./random.ts";
import type { Call } from "./worker.ts";

/** Sessions that a worker has at once. */
const MAX_OPEN = 50;
const EVENTS = ["session_needs_input", "session_failed", "session_archived"];
/** Root of the sessions. */
export const FLEET_ROOT = "root0";

/** Who works, and on what. */
export interface FleetWorkerOptions {
  readonly name: string;
  readonly random: Random;
  readonly model: Model;
  readonly fleet: FleetModel;
  /** Brings wakes forward, past the servers. */
  readonly db: Db;
}

/** Works for some sessions, a step at a time. */
export class FleetWorker {
  readonly #options: FleetWorkerOptions;
  #open: FleetSession[] = [];
  #next = 0;

  constructor(options: FleetWorkerOptions) {
    this.#options = options;
  }

  /** One call, and what is known after it. */
  async step(call: Call): Promise<void> {
    const { random, fleet } = this.#options;
    if (fleet.isBusy) return await pause(50);
    this.#open = this.#open.filter(({ isArchived }) => isArchived === "no");
    const dice = random.below(100);
    if (
      this.#open.length === 0 || (dice < 25 && this.#open.length < MAX_OPEN)
    ) return await this.#start(call);
    const session = random.pick(this.#open);
    if (dice < 45) return await this.#say(call, session);
    if (dice < 65) return await this.#wakeLater(call, session);
    if (dice < 85) return await this.#wakeOnRest(call, session);
    if (dice < 90) return await this.#pause(call, session);
    return await this.#archive(call, session);
  }

  /** The same key is asked for until it is answered: one session comes of it. */
  async #start(call: Call): Promise<void> {
    const { fleet } = this.#options;
    const told = this.#tell("started");
    const args = {
      agent_root: FLEET_ROOT,
      prompt: this.#prompt(told),
      scheduling_class: "priority",
      idempotency_key: crypto.randomUUID(),
    };
    for (let n = 0; n < 3; n++) {
      const answer = await this.#do(call, "start_session", args);
      if (answer.kind !== "done") {
        await pause(200);
        continue;
      }
      told.sessionId = Number(answer.data.session_id);
      fleet.acknowledge(told);
      const session = fleet.add(told.sessionId);
      session.said.push(told);
      this.#open.push(session);
      return;
    }
  }

  async #say(call: Call, session: FleetSession): Promise<void> {
    const told = this.#tell("told", session);
    const answer = await this.#do(call, "action_session", {
      action: "follow_up",
      session_id: String(session.id),
      prompt: this.#prompt(told),
    });
    this.#note(told, answer);
    if (answer.kind === "done") session.said.push(told);
  }

  async #wakeLater(call: Call, session: FleetSession): Promise<void> {
    const { db, random } = this.#options;
    if (!canSleep(session)) return;
    const told = this.#tell("woken at a time", session);
    session.wake = told;
    const at = new Date(Date.now() + 32_000 + random.below(20_000));
    const answer = await this.#do(call, "wake_me_up_later", {
      session_id: session.id,
      wake_at: at.toISOString().slice(0, 19),
      prompt: this.#prompt(told),
    });
    this.#note(told, answer);
    if (answer.kind !== "done" || random.chance(50)) return;
    // Time passes faster for some of them.
    await db.write(
      `update trigger_conditions c set due_at = now() + $2 * interval '1 second'
       from triggers t where t.id = c.trigger_id and t.is_wake
         and t.wake_session_id = $1 and c.due_at is not null`,
      [session.id, 1 + random.below(4)],
    ).catch(() => {});
  }

  async #wakeOnRest(call: Call, session: FleetSession): Promise<void> {
    // Nobody waits for one that sleeps itself: they would wait for each other.
    const others = this.#open.filter((one) => one !== session && isAwake(one));
    if (!canSleep(session) || others.length === 0) return;
    const watched = this.#options.random.pick(others);
    const told = this.#tell("woken by a rest", session);
    session.wake = told;
    watched.watchers.push(told);
    const answer = await this.#do(
      call,
      "wake_me_up_when_session_changes_state",
      {
        session_id: session.id,
        watched_session_id: watched.id,
        event_names: EVENTS,
        prompt: this.#prompt(told),
      },
    );
    this.#note(told, answer);
  }

  async #pause(call: Call, session: FleetSession): Promise<void> {
    const wasPaused = session.mayBePaused;
    this.#options.fleet.pause(session);
    const answer = await this.#do(call, "action_session", {
      action: "pause",
      session_id: String(session.id),
    });
    if (answer.kind === "refused") session.mayBePaused = wasPaused;
  }

  /** One that has nothing to do any more, and that nobody is to wake. */
  async #archive(call: Call, session: FleetSession): Promise<void> {
    const { fleet } = this.#options;
    await fleet.look();
    const isBusy = [...fleet.told.values()].some((told) =>
      told.sessionId === session.id && told.must !== "never" && !told.hasEnded
    );
    if (isBusy || session.mayBePaused) return;
    session.isArchived = "maybe";
    const answer = await this.#do(call, "action_session", {
      action: "archive",
      session_id: String(session.id),
    });
    if (answer.kind === "done") session.isArchived = "yes";
    if (answer.kind === "refused") session.isArchived = "no";
  }

  #tell(kind: string, session?: FleetSession): Told {
    const { name, fleet } = this.#options;
    return fleet.tell(`${name}-${++this.#next}`, kind, session?.id);
  }

  /** Mostly quick; some are at work when something is killed. */
  #prompt({ token }: Told): string {
    return promptOf(token, this.#options.random.chance(10) ? 2 : 0.05);
  }

  #note(told: Told, answer: Answer): void {
    if (answer.kind === "done") this.#options.fleet.acknowledge(told);
    if (answer.kind === "refused") told.must = "never";
  }

  async #do(call: Call, tool: string, args: unknown): Promise<Answer> {
    const { model } = this.#options;
    const answer = await call(tool, args);
    if (answer.kind === "surprise") model.violate(`${tool}: ${answer.text}`);
    model.count(
      answer.kind === "refused"
        ? `sessions: refused: ${answer.rule}`
        : `sessions: ${tool} ${answer.kind}`,
    );
    return answer;
  }
}

/** Whether it has no wake. */
function isAwake({ wake }: FleetSession): boolean {
  return wake === undefined || wake.must === "never" || wake.hasBegun;
}

function canSleep(session: FleetSession): boolean {
  return isAwake(session) &&
    session.watchers.every((told) => told.must === "never" || told.hasBegun);
}
