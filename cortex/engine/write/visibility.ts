/**
 * Waiting until readers see what was written.
 *
 * @module
 */

import { CortexUnavailableError } from "../../errors.ts";
import type { Scope } from "../../layout/layouts.ts";
import type { EventId } from "../../client/wire.ts";
import {
  type EngineContext,
  forEachScope,
  type OperationOptions,
} from "../context.ts";
import type { ItemId } from "../item/item.ts";
import { itemLabel } from "../item/lookup.ts";
import { NO_TEXT } from "../read/walk.ts";

/** The events of one item that were written just now. */
export interface Written {
  /** Where. */
  readonly scope: Scope;
  /** The item. */
  readonly id: ItemId;
  /** The event that was written last. */
  readonly lastId: EventId;
  /** Its text. */
  readonly lastText: string;
}

const LISTING_MS = 30_000;
const RECALL_MS = 10_000;
const STEP_MS = 250;
/** Newest first, what was written last is among the first. */
const MAX_LISTED = 10;
/** What a recall is asked for; the label narrows it to the one item. */
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
  options: OperationOptions,
): Promise<void> {
  const lastOfScope = new Map(written.map((one) => [one.scope.path, one]));
  await forEachScope([...lastOfScope.values()], async (one) => {
    const isDone = () => isListed(context, one, options);
    if (await poll(context, LISTING_MS, options, isDone)) return;
    throw new CortexUnavailableError(
      `Stored, but not listed after ${
        LISTING_MS / 1_000
      } s in ${one.scope.path}; storing it again is safe`,
      { attempts: 1 },
    );
  });
  const last = written.at(-1);
  if (last === undefined) return;
  await poll(
    context,
    RECALL_MS,
    options,
    () => isFound(context, last, options),
  );
}

/** Whether recall finds it, or will not tell: nothing hangs on it. */
async function isFound(
  { client }: EngineContext,
  { scope, id, lastText }: Written,
  options: OperationOptions,
): Promise<boolean> {
  const query = lastText.trim().slice(0, MAX_QUERY).toWellFormed();
  const labels = [itemLabel(id)];
  try {
    const { events } = await client.recall(
      { scope: scope.path, query, maxEvents: 10, labels, ...NO_TEXT },
      options,
    );
    return events.length > 0;
  } catch (error) {
    options.signal?.throwIfAborted();
    return !(error instanceof CortexUnavailableError);
  }
}

async function isListed(
  { client }: EngineContext,
  { scope, id, lastId }: Written,
  options: OperationOptions,
): Promise<boolean> {
  const { events } = await client.listEvents(
    {
      scope: scope.path,
      labels: [itemLabel(id)],
      limit: MAX_LISTED,
      ...NO_TEXT,
    },
    options,
  );
  return events.some((event) => event.id === lastId);
}

/** Asks again and again; false when the time is over. */
export async function poll(
  { clock }: EngineContext,
  withinMs: number,
  { signal, stepMs = STEP_MS }: OperationOptions & { readonly stepMs?: number },
  isDone: () => Promise<boolean>,
): Promise<boolean> {
  const end = clock.now() + withinMs;
  while (!await isDone()) {
    if (clock.now() >= end) return false;
    await clock.sleep(stepMs, signal);
  }
  return true;
}
