/**
 * A worker of triggers: posts to webhooks, makes schedules that happen once and
 * triggers that break, which a system event tells of.
 *
 * @module
 */
import { promptOf } from "../chaos/traced_agent.ts";
import { pause } from "./faults.ts";
import { FLEET_ROOT } from "./fleet_worker.ts";
import type { FleetModel } from "./fleet_model.ts";
import type { Model } from "./model.ts";
import type { Random } from "./random.ts";
import type { Call } from "./worker.ts";

/** Tokens of the schedules that recur begin so. */
export const MINUTELY = "minute-";

/** Triggers that stand from the start. */
export interface StandingTriggers {
  /** Paths of webhooks. */
  readonly hooks: readonly string[];
  /** Those that recur. */
  readonly recurring: readonly number[];
}

/** Makes the triggers that stand from the start, while nothing breaks yet. */
export async function makeTriggers(call: Call): Promise<StandingTriggers> {
  const create = async (args: Readonly<Record<string, unknown>>) => {
    const answer = await call("action_trigger", {
      action: "create",
      agent_root_name: FLEET_ROOT,
      scheduling_class: "priority",
      ...args,
    });
    if (answer.kind !== "done") throw new Error(answer.text);
    return answer.data;
  };
  const again = { reuse_session: true, enqueue_messages: true };
  const hooks: string[] = [];
  for (const reuse of [{}, again]) {
    const { webhooks } = await create({
      name: "a webhook",
      prompt_template: promptOf("{{body.token}}", 0.05),
      trigger_type: "webhook",
      configuration: {},
      ...reuse,
    });
    hooks.push(String(webhooks[0].path));
  }
  const recurring: number[] = [];
  for (const missed of ["once", "skip"]) {
    const { trigger } = await create({
      name: "every minute",
      prompt_template: promptOf(`${MINUTELY}${missed}-{{date}}-{{time}}`, 0.05),
      trigger_type: "schedule",
      configuration: { interval: 1, unit: "minutes", missed },
      ...again,
    });
    recurring.push(Number(trigger.id));
  }
  await create({
    name: "one that broke",
    prompt_template: "{{text}}",
    trigger_type: "system_event",
    configuration: { event_names: ["trigger_failed"] },
  });
  return { hooks, recurring };
}

/** Who works, and on what. */
export interface TriggerWorkerOptions {
  readonly random: Random;
  readonly model: Model;
  readonly fleet: FleetModel;
  readonly hooks: readonly string[];
  /** Posts to a webhook; the status, undefined where none arrived. */
  readonly post: (
    path: string,
    token: string,
  ) => Promise<number | undefined>;
}

/** Works with triggers, a step at a time. */
export class TriggerWorker {
  readonly #options: TriggerWorkerOptions;
  #next = 0;

  constructor(options: TriggerWorkerOptions) {
    this.#options = options;
  }

  /** One of them, and what is known after it. */
  async step(call: Call): Promise<void> {
    const { random, fleet } = this.#options;
    if (fleet.isBusy) return await pause(50);
    const dice = random.below(100);
    if (dice < 60) await this.#post();
    else await this.#create(call, dice < 90 ? "once" : "broken");
    await pause(random.below(400));
  }

  /** The same delivery is posted until it is taken: it fires once. */
  async #post(): Promise<void> {
    const { random, model, fleet, hooks, post } = this.#options;
    const token = `hook-${++this.#next}`;
    const told = fleet.tell(token, "webhook");
    const path = random.pick(hooks);
    for (let n = 0; n < 5; n++) {
      const status = await post(path, token);
      model.count(`triggers: webhook ${status ?? "unknown"}`);
      if (status === 202) return fleet.acknowledge(told);
      if (status !== undefined && status !== 503) {
        return model.violate(`A webhook answers with ${status}`);
      }
      await pause(200);
    }
  }

  async #create(call: Call, kind: "once" | "broken"): Promise<void> {
    const { random, model, fleet } = this.#options;
    const token = `${kind}-${++this.#next}`;
    const told = fleet.tell(token, kind);
    const prompt = promptOf(token, 0.05);
    const at = new Date(Date.now() + 1_000 + random.below(6_000));
    const answer = await call("action_trigger", {
      action: "create",
      // What breaks is told by its name.
      name: kind === "once" ? token : prompt,
      prompt_template: prompt,
      agent_root_name: kind === "once" ? FLEET_ROOT : "nowhere",
      scheduling_class: "priority",
      trigger_type: "schedule",
      configuration: { scheduled_at: at.toISOString().slice(0, 19) },
    });
    model.count(`triggers: ${kind} ${answer.kind}`);
    if (answer.kind === "surprise") model.violate(answer.text);
    if (answer.kind === "done") fleet.acknowledge(told);
    if (answer.kind === "refused") told.must = "never";
  }
}
