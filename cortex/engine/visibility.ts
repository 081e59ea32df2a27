/**
 * Waiting until readers see what was written.
 *
 * @module
 */

import { CortexUnavailableError } from "../errors.ts";
import type { Scope } from "../layouts.ts";
import type { EventDraft, EventId } from "../wire.ts";
import type { EngineContext, OperationOptions } from "./context.ts";
import type { ItemId } from "./item.ts";
import { itemLabel } from "./lookup.ts";

/** The events of one item that were written just now. */
export interface Written {
  /** Where. */
  readonly scope: Scope;
  /** The item. */
  readonly id: ItemId;
  /** The events, in order. */
  readonly eventIds: readonly EventId[];
}

const LISTING_MS = 30_000;
const RECALL_MS = 10_000;
const STEP_MS = 250;
/** What a recall is asked for; the label narrows it to the one event. */
const MAX_QUERY = 200;

/**
 * Waits until the last event of each scope is listed, and for a while until
 * recall finds the last of all.
 *
 * @throws {CortexUnavailableError} when a listing lacks one after 30 seconds
 */
export async function awaitVisible(
  context: EngineContext,
  written: readonly Written[],
  lastDraft: EventDraft | undefined,
  options: OperationOptions,
): Promise<void> {
  const lastOfScope = new Map(written.map((one) => [one.scope.path, one]));
  await Promise.all([...lastOfScope.values()].map(async (one) => {
    if (
      await poll(
        context,
        LISTING_MS,
        options,
        () => isListed(context, one, options),
      )
    ) {
      return;
    }
    throw new CortexUnavailableError(
      `Stored, but not listed after ${
        LISTING_MS / 1_000
      } s; storing it again is safe`,
      { attempts: 1 },
    );
  }));
  const last = written.at(-1);
  if (last === undefined || lastDraft === undefined) return;
  const words = lastDraft.text.slice(0, MAX_QUERY);
  await poll(context, RECALL_MS, options, async () => {
    const { events } = await context.client.recall({
      scope: last.scope.path,
      query: words,
      maxEvents: 10,
      labels: [itemLabel(last.id)],
    }, options);
    return events.length > 0;
  });
}

async function isListed(
  { client }: EngineContext,
  { scope, id, eventIds }: Written,
  options: OperationOptions,
): Promise<boolean> {
  const { events } = await client.listEvents(
    { scope: scope.path, labels: [itemLabel(id)] },
    options,
  );
  const last = eventIds.at(-1);
  return events.some((event) => event.id === last);
}

/** Asks again and again; false when the time is over. */
export async function poll(
  { clock }: EngineContext,
  withinMs: number,
  { signal }: OperationOptions,
  isDone: () => Promise<boolean>,
): Promise<boolean> {
  const end = clock.now() + withinMs;
  while (!await isDone()) {
    if (clock.now() >= end) return false;
    await clock.sleep(STEP_MS, signal);
  }
  return true;
}
