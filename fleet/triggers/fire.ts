/**
 * Fires triggers. What happened is claimed, carried out and noted in one
 * transaction under the trigger's lock, so that it comes to pass once or not at
 * all. A firing that a rule refuses parks its trigger, with what was refused.
 *
 * @module
 */
import { type CatalogSnapshot, decideBy } from "../../catalog/mod.ts";
import { insertHumanMessage } from "../../store/around_sessions/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import {
  claimOccurrence,
  lockTrigger,
  noteFired,
  noteOutcome,
  parkTrigger,
  type Trigger,
  type TriggerWithConditions,
} from "../../store/triggers/mod.ts";
import type { Fleet } from "../fleet.ts";
import { knownGoal } from "../sessions/artifacts.ts";
import { databaseTime } from "../wakes/arm.ts";
import { breaksForGood } from "./breaking.ts";
import type { Configuration } from "./conditions.ts";
import { countBurst, isBursting, noticePrompt, withSession } from "./burst.ts";
import { tellAgain } from "./reuse.ts";
import { genesisOfTrigger, spawn } from "./spawn.ts";
import { emitSystemEvent } from "./system_event.ts";
import { renderPrompt, storable, type Variables } from "./template.ts";

/** What a person said somewhere else, for the session that it reaches. */
export interface PersonSaid {
  /** Who: a name of the file of people, or the place's own id. */
  readonly author: string;
  /** Where. */
  readonly channel: "slack";
  /** What. */
  readonly content: string;
  /** Where it can be read. */
  readonly provenance: Readonly<Record<string, unknown>>;
}

/** Something that happened, or that somebody asks for. */
export interface FiringEvent {
  /** The condition that it belongs to, and which of its occurrences it is. */
  readonly of?: {
    readonly conditionId: number;
    readonly occurrence: string;
    /** The due time that a schedule has to have still. */
    readonly dueAt?: Date | undefined;
    /** The configuration that the condition has to have still. */
    readonly configuration?: Configuration | undefined;
  } | undefined;
  /** What it says of itself. */
  readonly variables: Variables;
  /** Why, for people: "it is 09:30 in Europe/Berlin". */
  readonly because: string;
  /** What a person said by it; written down where a session is told of it. */
  readonly said?: PersonSaid | undefined;
  /** Done with it, in the same transaction. */
  readonly after?: (tx: Transaction, now: Date) => Promise<void>;
}

/** What a firing came to. */
export interface FiringResult {
  /**
   * `started` a session, `told` the latest one, `skipped` since that is busy,
   * `notice`: a session that tells of a burst; `silent` within one; `void`:
   * somebody had it, or it no longer holds; `broken`: the trigger is parked.
   */
  readonly kind:
    | "started"
    | "told"
    | "skipped"
    | "notice"
    | "silent"
    | "void"
    | "broken";
  /** The session that was started, told or found busy. */
  readonly sessionId: number | undefined;
  /** In words. */
  readonly text: string;
}

const VOID: FiringResult = { kind: "void", sessionId: undefined, text: "" };

/** Fires a trigger for something that happened. */
export async function fireTrigger(
  fleet: Pick<Fleet, "catalog" | "store" | "groupNames">,
  triggerId: number,
  event: FiringEvent,
): Promise<FiringResult> {
  const db = await fleet.store.db();
  try {
    return await fireOnce(fleet, triggerId, event);
  } catch (error) {
    if (!breaksForGood(error)) throw error;
    return await db.transaction((tx) => park(tx, triggerId, event, error));
  }
}

/**
 * The same without parking: whoever asks is told of a refusal.
 *
 * @throws {FleetRefusalError} A rule says no.
 */
export async function fireOnce(
  fleet: Pick<Fleet, "catalog" | "store" | "groupNames">,
  triggerId: number,
  event: FiringEvent,
): Promise<FiringResult> {
  const db = await fleet.store.db();
  return await decideBy(
    fleet.catalog,
    (snapshot) =>
      db.transaction((tx) => fire(tx, { fleet, snapshot }, triggerId, event)),
  );
}

interface Around {
  readonly fleet: Pick<Fleet, "catalog" | "store" | "groupNames">;
  readonly snapshot: CatalogSnapshot;
}

async function fire(
  tx: Transaction,
  around: Around,
  triggerId: number,
  event: FiringEvent,
): Promise<FiringResult> {
  const found = await lockTrigger(tx, triggerId);
  if (found === undefined || found.trigger.wakeSessionId !== null) return VOID;
  const { of } = event;
  if (of !== undefined) {
    if (found.trigger.status !== "enabled" || !isCurrent(found, of)) {
      return VOID;
    }
    const variables = Object.fromEntries(
      Object.entries(event.variables).map(([name, value]) => [
        name,
        storable(value.slice(0, 300)),
      ]),
    );
    if (!await claimOccurrence(tx, of, variables)) return VOID;
  }
  const now = await databaseTime(tx);
  const result = await carryOut(tx, around, found, { event, now });
  const { kind, sessionId } = result;
  if (
    event.said !== undefined && sessionId !== undefined &&
    (kind === "started" || kind === "told")
  ) await insertHumanMessage(tx, { ...event.said, sessionId });
  if (of !== undefined) {
    await noteOutcome(tx, of, {
      outcome: result.text,
      sessionId: result.sessionId,
    });
  }
  await event.after?.(tx, now);
  return result;
}

/** Whether the condition is still there, and still due when it was. */
function isCurrent(
  { conditions }: TriggerWithConditions,
  { conditionId, dueAt, configuration }: NonNullable<FiringEvent["of"]>,
): boolean {
  const condition = conditions.find(({ id }) => id === conditionId);
  return condition !== undefined &&
    (dueAt === undefined || condition.dueAt?.getTime() === dueAt.getTime()) &&
    (configuration === undefined ||
      JSON.stringify(condition.configuration) ===
        JSON.stringify(configuration));
}

async function carryOut(
  tx: Transaction,
  around: Around,
  found: TriggerWithConditions,
  { event, now }: { readonly event: FiringEvent; readonly now: Date },
): Promise<FiringResult> {
  const { trigger } = found;
  const prompt = renderPrompt(trigger.promptTemplate, event.variables);
  if (prompt.trim() === "") {
    return {
      kind: "skipped",
      sessionId: undefined,
      text: "Not fired: the template came out blank for this event",
    };
  }
  let why = "";
  if (trigger.reuseSession && !isBursting(trigger, now)) {
    const goal = trigger.goal === null
      ? undefined
      : knownGoal(around.snapshot, trigger.goal);
    const { because } = event;
    const told = await tellAgain(tx, trigger, { prompt, goal, because });
    if (told.kind === "told") {
      await noteFired(tx, trigger.id, {
        sessionId: told.session.id,
        isNewSession: false,
      });
      return {
        kind: "told",
        sessionId: told.session.id,
        text: `Told session ${told.session.id}: ${told.how}`,
      };
    }
    if (told.kind === "busy") {
      return {
        kind: "skipped",
        sessionId: told.session.id,
        text: `Not fired: session ${told.session.id} is not told, ${told.why}`,
      };
    }
    why = ` (a new one: ${told.why})`;
  }
  return await startNew(tx, around, found, { event, now, prompt, why });
}

async function startNew(
  tx: Transaction,
  around: Around,
  found: TriggerWithConditions,
  { event, now, prompt, why }: {
    readonly event: FiringEvent;
    readonly now: Date;
    readonly prompt: string;
    readonly why: string;
  },
): Promise<FiringResult> {
  const { trigger } = found;
  const { verdict, count } = countBurst(trigger, now);
  if (verdict === "silent") {
    await noteFired(tx, trigger.id, { isNewSession: false, burst: count });
    return {
      kind: "silent",
      sessionId: undefined,
      text:
        `Not fired: more than ${trigger.maxSessionsPerMinute} within a minute; silent until ${count.activeUntil?.toISOString()}`,
    };
  }
  const genesis = genesisOf(found, event);
  const isNotice = verdict === "notice";
  const session = await spawn(tx, around, {
    trigger,
    spawn: {
      prompt: isNotice
        ? noticePrompt(trigger, count, event.variables.link)
        : prompt,
      title: isNotice ? `Burst of ${trigger.name}` : undefined,
      because: event.because,
      genesis,
    },
  });
  await noteFired(tx, trigger.id, {
    // A notice is not what the next event is told to.
    sessionId: isNotice ? undefined : session.id,
    isNewSession: true,
    burst: isNotice ? count : withSession(count, session.id),
  });
  return isNotice
    ? {
      kind: "notice",
      sessionId: session.id,
      text:
        `Burst: session ${session.id} tells of it, and nothing else is started until ${count.activeUntil?.toISOString()}`,
    }
    : {
      kind: "started",
      sessionId: session.id,
      text: `Started session ${session.id}${why}`,
    };
}

function genesisOf(found: TriggerWithConditions, event: FiringEvent) {
  const fired = found.conditions.find(({ id }) => id === event.of?.conditionId);
  return fired?.type ?? genesisOfTrigger(found);
}

/** The trigger broke: it is kept as failed, and the event with what it met. */
async function park(
  tx: Transaction,
  triggerId: number,
  { of, variables, because }: FiringEvent,
  error: Error,
): Promise<FiringResult> {
  const found = await lockTrigger(tx, triggerId);
  if (found === undefined || found.trigger.status !== "enabled") return VOID;
  if (of !== undefined && !isCurrent(found, of)) return VOID;
  await parkTrigger(tx, triggerId, error.message);
  await tellOfFailure(tx, found.trigger, {
    because,
    link: variables.link,
    error,
  });
  return {
    kind: "broken",
    sessionId: undefined,
    text: `The trigger is parked: ${error.message}`,
  };
}

async function tellOfFailure(
  tx: Transaction,
  { id, name }: Trigger,
  { because, link, error }: {
    readonly because: string;
    readonly link: string | undefined;
    readonly error: Error;
  },
): Promise<void> {
  await emitSystemEvent(tx, {
    name: "trigger_failed",
    key: `${id}:${crypto.randomUUID()}`,
    text: `Trigger ${id} ("${name}") is parked: ${error.message} (${because})`,
    link,
    exceptTriggerId: id,
  });
}
