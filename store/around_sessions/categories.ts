/**
 * Categories of the board: each has a name, a place, and sessions.
 *
 * Sessions of no category stand under "Uncategorized", which has a place among
 * the others but no row. Whoever changes places holds the lock of them all.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";
import { LOCK_KEYS } from "../pg/locks.ts";

/** A category. */
export interface Category {
  /** Its number. */
  readonly id: number;
  /** Its name, 1 to 100 characters, no other's in whatever case. */
  readonly name: string;
  /** What belongs there. */
  readonly description: string | null;
  /** Its place on the board, from 1. */
  readonly position: number;
  /** Whether its sessions are left alone when all are refreshed. */
  readonly isFrozen: boolean;
  /** Sessions in it that are not archived. */
  readonly sessions: number;
}

/** What of a category may be changed; what is not named stays. */
export interface CategoryEdit {
  /** Its name. */
  readonly name?: string | undefined;
  /** What belongs there; null for nothing. */
  readonly description?: string | null | undefined;
  /** Whether it is frozen. */
  readonly isFrozen?: boolean | undefined;
}

/** The board: categories, and where sessions of none stand. */
export interface CategoryBoard {
  /** In the order of their places. */
  readonly categories: readonly Category[];
  /** Sessions of no category, and their place. */
  readonly uncategorized: {
    readonly position: number;
    readonly sessions: number;
  };
}

const LIVE = `select count(*)::int from sessions s
  where s.category_id = c.id and s.status <> 'archived'`;
const COLUMNS =
  `c.id, c.name, c.description, c.position, c.is_frozen, (${LIVE}) as sessions`;

/** Lets one at a time change categories, until the transaction ends. */
export async function lockCategories(tx: Transaction): Promise<void> {
  await tx.write("select pg_advisory_xact_lock($1)", [LOCK_KEYS.categories]);
}

/** Reads the board. */
export async function readCategories(db: Queryable): Promise<CategoryBoard> {
  const [rows, [rest]] = await Promise.all([
    db.read<Row>(
      `select ${COLUMNS} from categories c order by c.position, c.id`,
    ),
    db.read<{ position: number; sessions: number }>(
      `select coalesce((select uncategorized_position from app_settings), 1) as position,
         (select count(*)::int from sessions
          where category_id is null and status <> 'archived') as sessions`,
    ),
  ]);
  return {
    categories: rows.map(toCategory),
    uncategorized: rest ?? { position: 1, sessions: 0 },
  };
}

/** Finds one, with a lock that keeps it there until the transaction ends. */
export async function keepCategory(
  tx: Transaction,
  id: number,
): Promise<Category | undefined> {
  const [row] = await tx.write<Row>(
    `select ${COLUMNS} from categories c where c.id = $1 for key share`,
    [id],
  );
  return row === undefined ? undefined : toCategory(row);
}

/** Adds one behind all others; undefined where its name is taken. */
export async function insertCategory(
  tx: Transaction,
  { name, description }: {
    readonly name: string;
    readonly description: string | null;
  },
): Promise<Category | undefined> {
  const [row] = await tx.write<Row>(
    `insert into categories as c (name, description, position)
     values ($1, $2, 1 + greatest(
       (select coalesce(max(position), 0) from categories),
       coalesce((select uncategorized_position from app_settings), 1)))
     on conflict do nothing returning ${COLUMNS}`,
    [name, description],
  );
  return row === undefined ? undefined : toCategory(row);
}

/** Changes one; undefined where its name is taken by another. */
export async function updateCategory(
  tx: Transaction,
  { id, ...now }: Category,
  edit: CategoryEdit,
): Promise<Category | undefined> {
  const name = edit.name ?? now.name;
  const [other] = await tx.read(
    "select 1 from categories where lower(name) = lower($2) and id <> $1",
    [id, name],
  );
  if (other !== undefined) return undefined;
  const [row] = await tx.write<Row>(
    `update categories c set name = $2, description = $3, is_frozen = $4,
       updated_at = now() where id = $1 returning ${COLUMNS}`,
    [
      id,
      name,
      edit.description === undefined ? now.description : edit.description,
      edit.isFrozen ?? now.isFrozen,
    ],
  );
  return toCategory(row as Row);
}

/**
 * Deletes one; its sessions stand under none from then on. They are locked
 * first, in their order, as everybody does who changes several.
 */
export async function deleteCategory(
  tx: Transaction,
  id: number,
): Promise<void> {
  await tx.write(
    "select id from sessions where category_id = $1 order by id for update",
    [id],
  );
  await tx.write("delete from categories where id = $1", [id]);
}

/** Puts all of them into an order; null stands for sessions of none. */
export async function placeCategories(
  tx: Transaction,
  order: readonly (number | null)[],
): Promise<void> {
  for (const [index, id] of order.entries()) {
    if (id === null) {
      await tx.write(
        `insert into app_settings (uncategorized_position) values ($1)
         on conflict (id) do update set uncategorized_position = $1, updated_at = now()`,
        [index + 1],
      );
    } else {
      await tx.write(
        `update categories set position = $2, updated_at = now()
         where id = $1 and position <> $2`,
        [id, index + 1],
      );
    }
  }
}

function toCategory(row: Row): Category {
  return {
    id: Number(row.id),
    name: String(row.name),
    description: row.description as string | null,
    position: Number(row.position),
    isFrozen: row.is_frozen === true,
    sessions: Number(row.sessions),
  };
}
