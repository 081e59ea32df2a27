/**
 * Events of the program itself: a job for each condition that waits for one, in
 * the transaction that notices it.
 *
 * @module
 */
import { sendJob } from "../../store/jobs/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import { findSystemConditions } from "../../store/triggers/mod.ts";
import type { SystemEvent } from "./conditions.ts";
import { storable } from "./template.ts";

/** An event. */
export interface EmittedEvent {
  /** Its name. */
  readonly name: SystemEvent;
  /** Tells it from others of its name: a condition fires once for it. */
  readonly key: string;
  /** What happened, for people. */
  readonly text: string;
  /** Where it can be looked at. */
  readonly link?: string | undefined;
  /** A trigger that is not told: what failed does not fire for its failure. */
  readonly exceptTriggerId?: number | undefined;
}

/** Tells whoever waits for it; says how many. */
export async function emitSystemEvent(
  tx: Transaction,
  { name, key, text, link, exceptTriggerId }: EmittedEvent,
): Promise<number> {
  const waiting = await findSystemConditions(tx, name);
  const told = waiting.filter(({ triggerId }) => triggerId !== exceptTriggerId);
  for (const { id, triggerId } of told) {
    await sendJob(tx, "triggers", {
      kind: "fire_condition",
      trigger_id: triggerId,
      condition_id: id,
      occurrence: storable(`${name}:${key}`.slice(0, 300)),
      variables: {
        event: name,
        text: storable(text),
        title: name,
        link: storable(link ?? ""),
      },
      because: storable(`${name}: ${text}`.slice(0, 500)),
    });
  }
  return told.length;
}
