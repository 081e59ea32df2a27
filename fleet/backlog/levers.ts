/**
 * What a person does with the backlog: pin, place, remove, start. No tool calls
 * any of it: these are the levers over what agents work on next.
 *
 * @module
 */
import { assertStorable, type Transaction } from "../../store/pg/mod.ts";
import {
  type BacklogItem,
  firstItems,
  itemById,
  lockQueue,
  markRemoved,
  markStarted,
  placesAround,
  putItem,
} from "../../store/backlog/mod.ts";
import type { Session } from "../../store/sessions/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { makeRoom } from "./append.ts";
import { BANDS, GAP, PRECEDENCES } from "./bands.ts";
import { routerRoot, spawnSession } from "./spawn.ts";

/** Where a person puts an item. */
export type Destination =
  | { readonly kind: "here" }
  | { readonly kind: "top" }
  | { readonly kind: "precedence"; readonly precedence: number }
  | {
    readonly kind: "beside";
    /** The other item. */
    readonly id: number;
    readonly side: "above" | "below";
  };

/**
 * Pins an item: it stays where it is put, whatever is added or started.
 *
 * @throws {FleetRefusalError} It is not in line, or there is no such place.
 */
export async function pinItem(
  { store }: Pick<Fleet, "store">,
  id: number,
  destination: Destination,
): Promise<BacklogItem> {
  const db = await store.db();
  return await db.transaction(async (tx) => {
    const item = await lockedItem(tx, id);
    const precedence = await placeOf(tx, item, destination);
    return await putItem(tx, { id, precedence }, true);
  });
}

/** Lets go of an item: it goes to the end of the band of its cost. */
export async function unpinItem(
  { store }: Pick<Fleet, "store">,
  id: number,
): Promise<BacklogItem> {
  const db = await store.db();
  return await db.transaction(async (tx) => {
    const item = await lockedItem(tx, id);
    if (!item.pinned) return item;
    const { precedence } = await makeRoom(tx, item.estimatedCost);
    return await putItem(tx, { id, precedence }, false);
  });
}

/** Takes an item off, for a reason of 1 to 1,000 characters. */
export async function removeItem(
  { store }: Pick<Fleet, "store">,
  id: number,
  { reason, by }: { readonly reason: string; readonly by: string },
): Promise<BacklogItem> {
  const text = reason.trim();
  const { length } = [...text];
  if (length < 1 || length > 1_000) {
    throw new FleetRefusalError(
      "bad_argument",
      `A reason has 1 to 1,000 characters; this has ${length}`,
    );
  }
  assertStorable(text, "the reason");
  const db = await store.db();
  return await db.transaction(async (tx) => {
    await lockedItem(tx, id);
    return await markRemoved(tx, id, { reason: text, by });
  });
}

/** An item and its session. */
export interface StartedByPerson {
  /** The item. */
  readonly item: BacklogItem;
  /** The session that it became. */
  readonly session: Session;
}

/** Starts an item now, as a priority session or in the queue of spot ones. */
export async function startItem(
  fleet: Pick<Fleet, "catalog" | "store" | "routerRoot">,
  id: number,
  { schedulingClass, genesis }: {
    readonly schedulingClass: "priority" | "spot";
    /** Where it was asked for. */
    readonly genesis: "web_ui" | "api";
  },
): Promise<StartedByPerson> {
  const router = await routerRoot(fleet);
  const db = await fleet.store.db();
  return await db.transaction(async (tx) => {
    const item = await lockedItem(tx, id);
    const session = await spawnSession(tx, {
      item,
      router,
      schedulingClass,
      genesis,
      parentSessionId: null,
      precedence: 0,
    });
    const started = await markStarted(tx, id, {
      sessionId: session.id,
      startedBy: null,
    });
    return { item: started, session };
  });
}

/** The item, with the queue locked; it is in line. */
async function lockedItem(tx: Transaction, id: number): Promise<BacklogItem> {
  await lockQueue(tx);
  const item = await itemById(tx, id);
  if (item?.status === "queued") return item;
  throw item === undefined
    ? new FleetRefusalError(
      "not_found",
      `There is no item ${id} in the backlog`,
    )
    : new FleetRefusalError(
      "wrong_state",
      `Item ${id} (${item.key}) is ${item.status}, and only what is queued can be changed`,
    );
}

async function placeOf(
  tx: Transaction,
  item: BacklogItem,
  destination: Destination,
): Promise<number> {
  switch (destination.kind) {
    case "here":
      return item.precedence;
    case "top": {
      const [first] = await firstItems(tx, 1);
      if (first === undefined || first.id === item.id) return item.precedence;
      return within(first.precedence + GAP);
    }
    case "precedence":
      return within(destination.precedence);
    case "beside":
      return within(await placeBeside(tx, item, destination));
  }
}

async function placeBeside(
  tx: Transaction,
  item: BacklogItem,
  { id, side }: Extract<Destination, { kind: "beside" }>,
): Promise<number> {
  const around = Number.isSafeInteger(id)
    ? await placesAround(tx, id, item.id)
    : undefined;
  if (around === undefined) {
    throw new FleetRefusalError(
      "wrong_state",
      `Item ${id} is no longer in line, so nothing can be put ${side} it. Nothing was changed`,
    );
  }
  const [upper, lower] = side === "above"
    ? [around.above, around.own]
    : [around.own, around.below];
  if (upper === undefined) return (lower ?? 0) + GAP;
  if (lower === undefined) return upper - GAP;
  if (upper - lower > 1) return lower + Math.floor((upper - lower) / 2);
  throw new FleetRefusalError(
    "conflict",
    `There is no place left between ${upper} and ${lower}: give one of the two items there another place first. Nothing was changed`,
  );
}

function within(precedence: number): number {
  const { least, most } = PRECEDENCES;
  const isPlace = Number.isInteger(precedence) && precedence >= least &&
    precedence <= most;
  if (isPlace) return precedence;
  throw new FleetRefusalError(
    "bad_argument",
    `A place is a whole number from ${least} to ${most}; it is ${precedence}. The bands: ${
      Object.entries(BANDS).map(([cost, { floor, ceiling }]) =>
        `${cost} ${floor} to ${ceiling}`
      ).join(", ")
    }`,
  );
}
