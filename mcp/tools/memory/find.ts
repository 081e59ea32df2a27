/**
 * Finds items by their ids, wherever in the caller's memory they lie.
 *
 * @module
 */
import type { Got } from "../../../cortex/mod.ts";
import type { CallerMemory } from "./caller.ts";

/**
 * Reads only the beginnings of texts: `engine.reader` reads on in them. Looks near the agent first, then everywhere below the root, workflows
 * included: whoever has an id has read the item, or was told of it.
 */
export async function findItems(
  { engine, own }: CallerMemory,
  ids: readonly string[],
  textLimit: number,
): Promise<readonly Got[]> {
  const reach = { at: own, inherit: true, descendants: true };
  const near = await engine.get({ ids, reach, textLimit });
  const found = new Set<string>(near.items.map(({ id }) => id));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return [near];
  const far = { ids: missing, reach: "everywhere", textLimit } as const;
  return [near, await engine.get(far)];
}
