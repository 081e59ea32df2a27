/**
 * The family of a session: up to all its seniors, and down from the eldest.
 *
 * An edge means "started by", "routed by" where nobody started it, or "uncle":
 * a claim that another session made of itself. The walk is bounded in levels and
 * in sessions, and says where it stopped.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import type { Genesis, SchedulingClass } from "../sessions/words.ts";

/** Levels that are walked at most, in each direction. */
export const MAX_LEVELS = 8;
/** Sessions that are walked to at most. */
export const MAX_NODES = 150;

/** A session of a family. */
export interface Relative {
  /** Its number. */
  readonly id: number;
  /** What people call it. */
  readonly title: string;
  /** Catalog name of its agent root. */
  readonly agentRootKey: string | null;
  /** Where it stands. */
  readonly status: string;
  /** What caused it. */
  readonly genesis: Genesis;
  /** Its own class. */
  readonly schedulingClass: SchedulingClass | null;
  /** The session that started it, else the one that routed it. */
  readonly parentId: number | null;
  /** Sessions that say to be its seniors. */
  readonly uncleIds: readonly number[];
}

/** A family, as far as it was walked. */
export interface Family {
  /** Its sessions, the asked one among them. */
  readonly relatives: readonly Relative[];
  /** Whether there are more: the walk stopped at its bounds. */
  readonly isTruncated: boolean;
}

const ROUTER =
  `case when s.custom_metadata ->> 'router_session_id' ~ '^[1-9][0-9]{0,14}$'
    then (s.custom_metadata ->> 'router_session_id')::bigint end`;

const COLUMNS = `s.id, s.title, s.agent_root_key, s.status, s.genesis,
  s.scheduling_class, coalesce(s.parent_session_id, ${ROUTER}) as parent_id,
  array(select uncle_session_id from session_uncle_links u
    where u.session_id = s.id order by uncle_session_id limit 20) as uncle_ids`;

const ASKED =
  "array(select jsonb_array_elements_text($1::text::jsonb)::bigint)";

/** Walks the family of a session; empty where there is no such session. */
export async function readFamily(
  db: Queryable,
  sessionId: number,
): Promise<Family> {
  const walk = new Walk(db);
  await walk.up(sessionId);
  await walk.down();
  return {
    relatives: [...walk.found.values()],
    isTruncated: walk.isTruncated,
  };
}

class Walk {
  readonly #db: Queryable;
  readonly found = new Map<number, Relative>();
  isTruncated = false;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** The session and all its seniors. */
  async up(sessionId: number): Promise<void> {
    let level: readonly number[] = [sessionId];
    for (let depth = 0; level.length > 0; depth++) {
      if (depth > MAX_LEVELS || this.#isFull()) {
        this.isTruncated = true;
        return;
      }
      const rows = await this.#read(
        `select ${COLUMNS} from sessions s where s.id = any (${ASKED})
         order by s.id limit ${MAX_NODES + 1}`,
        level,
      );
      level = this.#take(rows).flatMap(seniorsOf)
        .filter((id) => !this.found.has(id));
    }
  }

  /** All who come from those without seniors here. */
  async down(): Promise<void> {
    const eldest = [...this.found.values()]
      .filter((one) => !seniorsOf(one).some((id) => this.found.has(id)))
      .map(({ id }) => id);
    let level: readonly number[] = eldest;
    const passed = new Set(eldest);
    for (let depth = 0; level.length > 0; depth++) {
      const rows = await this.#read(
        `select ${COLUMNS} from sessions s where s.id in (
           select id from sessions where parent_session_id = any (${ASKED})
           union select id from sessions
             where parent_session_id is null and custom_metadata ? 'router_session_id'
             and custom_metadata ->> 'router_session_id'
               = any (array(select jsonb_array_elements_text($1::text::jsonb)))
           union select session_id from session_uncle_links
             where uncle_session_id = any (${ASKED}))
         order by s.id limit ${MAX_NODES + 1}`,
        level,
      );
      const juniors = rows.filter(({ id }) => !passed.has(id));
      if (juniors.length > 0 && depth >= MAX_LEVELS) {
        this.isTruncated = true;
        return;
      }
      this.#take(juniors);
      for (const { id } of juniors) passed.add(id);
      // Those that did not fit lead nowhere.
      level = juniors.map(({ id }) => id).filter((id) => this.found.has(id));
    }
  }

  /** Takes as many as fit; answers with those that are new. */
  #take(relatives: readonly Relative[]): readonly Relative[] {
    const taken: Relative[] = [];
    for (const one of relatives) {
      if (this.found.has(one.id)) continue;
      if (this.#isFull()) {
        this.isTruncated = true;
        break;
      }
      this.found.set(one.id, one);
      taken.push(one);
    }
    return taken;
  }

  #isFull(): boolean {
    return this.found.size >= MAX_NODES;
  }

  async #read(sql: string, ids: readonly number[]): Promise<Relative[]> {
    const rows = await this.#db.read<Row>(sql, [JSON.stringify(ids)]);
    return rows.map((row) => ({
      id: Number(row.id),
      title: String(row.title),
      agentRootKey: row.agent_root_key as string | null,
      status: String(row.status),
      genesis: row.genesis as Genesis,
      schedulingClass: row.scheduling_class as SchedulingClass | null,
      parentId: row.parent_id === null ? null : Number(row.parent_id),
      uncleIds: (row.uncle_ids as readonly string[]).map(Number),
    }));
  }
}

/** Who stands above a session. */
function seniorsOf({ id, parentId, uncleIds }: Relative): readonly number[] {
  return [...(parentId === null ? [] : [parentId]), ...uncleIds]
    .filter((senior) => senior !== id);
}
