/**
 * Conditions as a request names them: an id edits, no id adds, what is not
 * mentioned stays, `remove` takes away. All of it is checked before anything is
 * written.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import {
  type ConditionType,
  deleteCondition,
  insertCondition,
  type NewCondition,
  type TriggerCondition,
  updateCondition,
} from "../../store/triggers/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import { badArgument } from "../sessions/texts.ts";
import {
  assertNotWidened,
  checkConfiguration,
  type Configuration,
  SETTABLE_TYPES,
  watchedBy,
} from "./conditions.ts";
import { nextAfter, scheduleOf } from "./schedule.ts";
import { makeSecret, makeSigningKey, secretHash } from "./webhook_secret.ts";

/** A condition as it is asked for. */
export interface ConditionRequest {
  /** The one to be changed; none adds one. */
  readonly id?: number | undefined;
  /** What it waits for. */
  readonly type?: string | undefined;
  /** What exactly. */
  readonly configuration?: Configuration | undefined;
  /** With an id: takes it away. */
  readonly remove?: boolean | undefined;
}

/** The secrets of a webhook that was made: shown once. */
export interface WebhookSecret {
  /** The condition. */
  readonly conditionId: number;
  /** The end of its address; undefined where it is the one from before. */
  readonly secret: string | undefined;
  /** With what senders sign, where it asks for that. */
  readonly signingKey: string | undefined;
}

const MAX_CONDITIONS = 20;

interface Edit {
  readonly before: TriggerCondition;
  readonly configuration: Configuration;
}

/** What is to be done, all of it checked. */
export interface ConditionPlan {
  readonly adds: readonly {
    readonly type: ConditionType;
    readonly configuration: Configuration;
  }[];
  readonly edits: readonly Edit[];
  readonly removes: readonly number[];
}

/** The conditions that a request names, in one form. */
export function requestedConditions(
  { triggerType, configuration, conditions }: {
    readonly triggerType?: string | undefined;
    readonly configuration?: Configuration | undefined;
    readonly conditions?: readonly ConditionRequest[] | undefined;
  },
  before: readonly TriggerCondition[],
): readonly ConditionRequest[] {
  const isPair = triggerType !== undefined || configuration !== undefined;
  if (conditions !== undefined) {
    if (isPair) {
      throw badArgument(
        "Give conditions, or trigger_type with configuration, not both. Nothing was changed",
      );
    }
    if (conditions.length === 0) {
      throw badArgument(
        "conditions is empty; leave it out to change none, and name each that is to go with its id and remove: true. Nothing was changed",
      );
    }
    return conditions;
  }
  if (!isPair) return [];
  if (triggerType === undefined || configuration === undefined) {
    throw badArgument(
      "trigger_type and configuration go together. Nothing was changed",
    );
  }
  const same = before.filter(({ type }) => type === triggerType);
  if (same.length > 1) {
    throw badArgument(
      `The trigger has ${same.length} conditions of the type ${triggerType} (ids ${
        same.map(({ id }) => id).join(", ")
      }): say which with conditions: [{id, configuration}]. Nothing was changed`,
    );
  }
  const [only] = same;
  return [{ id: only?.id, type: triggerType, configuration }];
}

/**
 * Checks requested conditions against those that there are.
 *
 * @throws {FleetRefusalError} A rule says no.
 */
export function planConditions(
  requested: readonly ConditionRequest[],
  before: readonly TriggerCondition[],
): ConditionPlan {
  const ids = requested.flatMap(({ id }) => id === undefined ? [] : [id]);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) {
    throw badArgument(
      `conditions names condition ${twice} more than once. Nothing was changed`,
    );
  }
  const adds: { type: ConditionType; configuration: Configuration }[] = [];
  const edits: Edit[] = [];
  const removes: number[] = [];
  for (const one of requested) {
    if (one.id === undefined) {
      adds.push(planAdd(one));
      continue;
    }
    const found = before.find(({ id }) => id === one.id);
    if (found === undefined) {
      throw new FleetRefusalError(
        "not_found",
        `The trigger has no condition ${one.id}; it has: ${
          before.map(({ id, type }) => `${id} (${type})`).join(", ") || "none"
        }. Nothing was changed`,
      );
    }
    if (one.remove === true) removes.push(found.id);
    else edits.push(planEdit(one, found));
  }
  const kept = before.filter(({ id }) => !removes.includes(id)).map((one) =>
    edits.find(({ before }) => before.id === one.id) ?? {
      before: one,
      configuration: one.configuration,
    }
  );
  if (kept.length + adds.length === 0) {
    throw badArgument(
      "A trigger keeps one condition at least; delete the trigger, or add another condition in the same call. Nothing was changed",
    );
  }
  if (kept.length + adds.length > MAX_CONDITIONS) {
    throw badArgument(
      `A trigger has ${MAX_CONDITIONS} conditions at most. Nothing was changed`,
    );
  }
  const forms = [
    ...kept.map(({ before, configuration }) => [before.type, configuration]),
    ...adds.map(({ type, configuration }) => [type, configuration]),
  ].filter(([type]) => type !== "webhook").map(canonical);
  const same = forms.find((form, at) => forms.indexOf(form) !== at);
  if (same !== undefined) {
    throw badArgument(
      `Two conditions would be the same: ${
        cutText(same, 200)
      }. To change one, name its id. Nothing was changed`,
    );
  }
  return { adds, edits, removes };
}

function planAdd({ type, configuration, remove }: ConditionRequest) {
  if (remove === true) {
    throw badArgument(
      "remove needs the id of the condition. Nothing was changed",
    );
  }
  if (type === undefined || configuration === undefined) {
    throw badArgument(
      "A condition without an id is added, and needs trigger_type and configuration. Nothing was changed",
    );
  }
  const known = knownType(type);
  return {
    type: known,
    configuration: checkConfiguration(known, configuration),
  };
}

function planEdit(
  { type, configuration }: ConditionRequest,
  before: TriggerCondition,
): Edit {
  if (type !== undefined && type !== before.type) {
    throw badArgument(
      `Condition ${before.id} is of the type ${before.type}, and a type does not change: remove it and add another. Nothing was changed`,
    );
  }
  if (configuration === undefined) {
    throw badArgument(
      `Condition ${before.id} is named without configuration or remove: true. Nothing was changed`,
    );
  }
  assertNotWidened(before.type, before.configuration, configuration);
  return {
    before,
    configuration: checkConfiguration(before.type, configuration),
  };
}

function knownType(type: string): ConditionType {
  const known = SETTABLE_TYPES.find((one) => one === type);
  if (known !== undefined) return known;
  if (type === "ao_event") checkConfiguration("ao_event", {});
  throw badArgument(
    `"${cutText(type, 60)}" is no type of condition; there are ${
      SETTABLE_TYPES.join(", ")
    }. Nothing was changed`,
  );
}

/** Carries a plan out; answers with the secrets of webhooks that it made. */
export async function applyConditions(
  tx: Transaction,
  triggerId: number,
  { adds, edits, removes }: ConditionPlan,
  now: Date,
): Promise<readonly WebhookSecret[]> {
  const secrets: WebhookSecret[] = [];
  for (const id of removes) await deleteCondition(tx, id);
  for (const { before, configuration } of edits) {
    if (canonical(before.configuration) === canonical(configuration)) continue;
    const isSchedule = before.type === "schedule";
    const signing = signingOf(before, configuration);
    await updateCondition(tx, before.id, {
      configuration,
      dueAt: isSchedule ? firstDue(configuration, now) : undefined,
      isRebaselined: watchedBy(before.type, before.configuration) !==
        watchedBy(before.type, configuration),
      signingKey: signing,
    });
    if (typeof signing === "string") {
      secrets.push({
        conditionId: before.id,
        secret: undefined,
        signingKey: signing,
      });
    }
  }
  for (const { type, configuration } of adds) {
    const secret = type === "webhook" ? makeSecret() : undefined;
    const signingKey = type === "webhook" && configuration.signed === true
      ? makeSigningKey()
      : undefined;
    const condition: NewCondition = {
      type,
      configuration,
      dueAt: type === "schedule" ? firstDue(configuration, now) : null,
      webhookHash: secret === undefined ? undefined : await secretHash(secret),
      signingKey,
    };
    const { id } = await insertCondition(tx, triggerId, condition);
    if (secret !== undefined) {
      secrets.push({ conditionId: id, secret, signingKey });
    }
  }
  return secrets;
}

function signingOf(
  before: TriggerCondition,
  configuration: Configuration,
): string | null | undefined {
  if (before.type !== "webhook") return undefined;
  const [was, is] = [before.configuration.signed, configuration.signed];
  if (was === is) return undefined;
  return is === true ? makeSigningKey() : null;
}

function firstDue(configuration: Configuration, now: Date): Date {
  const due = nextAfter(scheduleOf(configuration), now, now);
  if (due !== undefined) return due;
  throw badArgument(
    `scheduled_at ${configuration.scheduled_at} in ${configuration.timezone} lies in the past; it is now ${now.toISOString()}. Nothing was changed`,
  );
}

/** The same text for the same value, whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, part) =>
      typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.fromEntries(
          Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1),
        )
        : part,
  );
}
