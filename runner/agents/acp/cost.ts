/**
 * Costs that an agent counts up over a conversation, as what one turn cost.
 *
 * Some start over when their process was killed: a smaller total is a new one.
 *
 * @module
 */

/** What was told. */
export interface ToldCost {
  /** Whose total. */
  readonly conversationId: string;
  /** US dollars so far. */
  readonly total: number;
}

/** What was spent since the last time, which is remembered in the folder. */
export async function spentSince(
  folder: string,
  told: ToldCost,
): Promise<number> {
  const path = `${folder}/cost.json`;
  const before = await readBefore(path);
  await Deno.writeTextFile(path, JSON.stringify(told));
  const isSame = before?.conversationId === told.conversationId &&
    before.total <= told.total;
  return isSame ? told.total - before.total : told.total;
}

async function readBefore(path: string): Promise<ToldCost | undefined> {
  try {
    const value = JSON.parse(await Deno.readTextFile(path));
    return typeof value.total === "number" ? value : undefined;
  } catch {
    return undefined; // The first of its session.
  }
}
