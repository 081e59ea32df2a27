/**
 * Finds items by their ids, wherever in the caller's memory they lie.
 *
 * @module
 */
import type { Got } from "../../../cortex/mod.ts";
import type { CallerMemory } from "./caller.ts";

/**
 * Looks near the agent first, then everywhere below the root, workflows
 * included: whoever has an id has read the item, or was told of it.
 */
export async function findItems(
  { engine, own }: CallerMemory,
  ids: readonly string[],
): Promise<readonly Got[]> {
  const reach = { at: own, inherit: true, descendants: true };
  const near = await engine.get({ ids, reach });
  const found = new Set<string>(near.items.map(({ id }) => id));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return [near];
  return [near, await engine.get({ ids: missing, reach: "everywhere" })];
}
