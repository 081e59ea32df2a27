/**
 * Categories of the board: what may be done with them.
 *
 * They are of all roots at once, so that a fenced connection only reads them,
 * and puts sessions of its own roots into them.
 *
 * @module
 */
import {
  type Category,
  type CategoryBoard,
  deleteCategory as deleteRow,
  insertCategory,
  keepCategory,
  lockCategories,
  placeCategories,
  readCategories,
  updateCategory as updateRow,
} from "../../store/around_sessions/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import type { FleetCaller } from "../caller.ts";
import { FleetRefusalError } from "../errors.ts";
import { assertNoFence } from "../fence.ts";
import type { Fleet } from "../fleet.ts";
import { assertLength, assertText, badArgument } from "../sessions/texts.ts";

const MAX_NAME = 100;
const MAX_DESCRIPTION = 1_000;

/** The name under which sessions of no category stand. */
export const UNCATEGORIZED = "uncategorized";

/** Reads the board. */
export async function listCategories(
  { store }: Pick<Fleet, "store">,
): Promise<CategoryBoard> {
  return await readCategories(await store.db());
}

/** Adds a category behind all others. @throws {FleetRefusalError} */
export async function createCategory(
  fleet: Pick<Fleet, "store">,
  caller: FleetCaller,
  asked: {
    readonly name: string;
    readonly description?: string | undefined;
  },
): Promise<Category> {
  const name = nameOf(asked.name);
  const description = descriptionOf(asked.description);
  return await changing(fleet, caller, async (tx) => {
    const made = await insertCategory(tx, { name, description });
    if (made === undefined) throw taken(name);
    return made;
  });
}

/** Changes a category. @throws {FleetRefusalError} */
export async function updateCategory(
  fleet: Pick<Fleet, "store">,
  caller: FleetCaller,
  id: number,
  asked: {
    readonly name?: string | undefined;
    readonly description?: string | undefined;
    readonly isFrozen?: boolean | undefined;
  },
): Promise<Category> {
  const { name, description, isFrozen } = asked;
  if (
    name === undefined && description === undefined && isFrozen === undefined
  ) {
    throw badArgument(
      "update needs name, description or is_frozen. Nothing was changed",
    );
  }
  const edit = {
    name: name === undefined ? undefined : nameOf(name),
    description: description === undefined
      ? undefined
      : descriptionOf(description),
    isFrozen,
  };
  return await changing(fleet, caller, async (tx) => {
    const changed = await updateRow(tx, await findOrRefuse(tx, id), edit);
    if (changed === undefined) throw taken(edit.name ?? "");
    return changed;
  });
}

/** Deletes a category; its sessions stand under none. @throws {FleetRefusalError} */
export async function deleteCategory(
  fleet: Pick<Fleet, "store">,
  caller: FleetCaller,
  id: number,
): Promise<Category> {
  return await changing(fleet, caller, async (tx) => {
    const found = await findOrRefuse(tx, id);
    await deleteRow(tx, id);
    return found;
  });
}

/**
 * Puts categories into an order: those that are named take each other's places
 * in the order in which they are named, all others stay where they stand.
 *
 * @throws {FleetRefusalError}
 */
export async function reorderCategories(
  fleet: Pick<Fleet, "store">,
  caller: FleetCaller,
  names: readonly string[],
): Promise<CategoryBoard> {
  const wanted = names.map(placeOf);
  if (wanted.length === 0) {
    throw badArgument(
      `reorder needs ids: numbers of categories, and "${UNCATEGORIZED}". Nothing was changed`,
    );
  }
  if (new Set(wanted).size < wanted.length) {
    throw badArgument("ids names a category twice. Nothing was changed");
  }
  return await changing(fleet, caller, async (tx) => {
    const { categories, uncategorized } = await readCategories(tx);
    const standing = [
      ...categories.map(({ id, position }) => ({ id, position })),
      { id: null, position: uncategorized.position },
    ].sort((a, b) => a.position - b.position || (a.id ?? 0) - (b.id ?? 0))
      .map(({ id }) => id);
    const unknown = wanted.find((id) => !standing.includes(id));
    if (unknown !== undefined) throw notThere(unknown ?? 0);
    const moving = wanted[Symbol.iterator]();
    const order = standing.map((id) =>
      wanted.includes(id) ? moving.next().value ?? null : id
    );
    await placeCategories(tx, order);
    return await readCategories(tx);
  });
}

/** One at a time changes them; a fenced connection does not. */
async function changing<T>(
  { store }: Pick<Fleet, "store">,
  { fence }: FleetCaller,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  assertNoFence(fence, "changing categories, which are of all roots,");
  const db = await store.db();
  return await db.transaction(async (tx) => {
    await lockCategories(tx);
    return await work(tx);
  });
}

async function findOrRefuse(tx: Transaction, id: number): Promise<Category> {
  const found = await keepCategory(tx, id);
  if (found === undefined) throw notThere(id);
  return found;
}

function nameOf(name: string): string {
  // Names that look the same are the same, however they were typed.
  const text = name.trim().normalize("NFC");
  assertText(text, "name", MAX_NAME);
  if (text.toLowerCase() === UNCATEGORIZED) throw taken(text);
  return text;
}

function descriptionOf(description: string | undefined): string | null {
  const text = description?.trim() ?? "";
  assertLength(text, "description", MAX_DESCRIPTION);
  return text === "" ? null : text;
}

function placeOf(name: string): number | null {
  const text = name.trim();
  if (text === UNCATEGORIZED) return null;
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw badArgument(
    `ids holds numbers of categories and "${UNCATEGORIZED}"; this is "${
      text.slice(0, 100)
    }". Nothing was changed`,
  );
}

function taken(name: string): FleetRefusalError {
  return new FleetRefusalError(
    "conflict",
    `There is a category "${name}" already, in whatever case. Nothing was changed`,
  );
}

/** The refusal of a category that is not there. */
export function notThere(id: number): FleetRefusalError {
  return new FleetRefusalError(
    "not_found",
    `Category ${id} does not exist; manage_categories lists them. Nothing was changed`,
  );
}
