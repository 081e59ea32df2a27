/**
 * Whose browsers are told: a person's no longer than that person is known, and
 * those that an API key subscribed, which is everybody's.
 *
 * While nobody can be known, as when the file of people cannot be read, browsers
 * of people are told nothing, and none is forgotten.
 *
 * @module
 */
import {
  dropSubscriptionsBut,
  type PushSubscription,
} from "../../store/notices/mod.ts";
import type { Fleet } from "../fleet.ts";

/** Whether a browser is told now. */
export async function mayBeTold(
  { people }: Pick<Fleet, "people">,
  { owner }: Pick<PushSubscription, "owner">,
): Promise<boolean> {
  return owner === null || ((await people?.())?.has(owner) ?? false);
}

/** Forgets the browsers of people who are no longer known; how many. */
export async function endOfStrangers(
  { store, people }: Pick<Fleet, "store" | "people">,
): Promise<number> {
  const known = await people?.();
  return known === undefined
    ? 0
    : await dropSubscriptionsBut(await store.db(), [...known]);
}
