/**
 * Sessions as the board shows them: few columns of many rows, by a filter.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import {
  IS_ON_BOARD,
  type SessionStanding,
  toStanding,
} from "../session_reads/listed.ts";
import { QUEUED_REFUSED_UNTIL } from "../session_reads/refused.ts";
import { Statement, textCondition } from "../session_reads/filter.ts";
import type { SessionStatus } from "../sessions/words.ts";

/** A session on the board. */
export interface BoardCard extends SessionStanding {
  /** Its category on the board. */
  readonly categoryId: number | null;
  /** Whether a person marked it. */
  readonly isFavorited: boolean;
  /** Whether its card is on the board now: a snooze that is over counts no more. */
  readonly isOnBoard: boolean;
}

/** Which sessions a board shows. Without anything: live ones that are on it. */
export interface BoardFilter {
  /** A text of title or metadata, whatever its case. */
  readonly text?: string | undefined;
  /** This state only. */
  readonly status?: SessionStatus | undefined;
  /** Sessions of this root only, by its key. */
  readonly agentRootKey?: string | undefined;
  /** Sessions of this agent only. */
  readonly agentRuntime?: string | undefined;
  /** Those that a person marked only. */
  readonly isFavorited?: boolean | undefined;
  /** Those that are hidden or snoozed instead. */
  readonly isOffBoard?: boolean | undefined;
}

const COLUMNS = `s.id, s.title, s.agent_root_key, s.agent_runtime, s.status,
  s.state_since, s.wait_reason, s.wait_until, s.paused_by, s.pending_sleep,
  left(s.failure_reason, 200) as failure_reason, s.driven_by, s.genesis,
  s.scheduling_class, s.category_id, s.favorited,
  ${QUEUED_REFUSED_UNTIL} as refused_until,
  ${IS_ON_BOARD} as is_on_board, s.snoozed_until`;

/** Reads the cards of a filter, the newest state first; of `ids`, if given. */
export async function readCards(
  db: Queryable,
  filter: BoardFilter,
  { limit, ids }: {
    readonly limit: number;
    readonly ids?: readonly number[] | undefined;
  },
): Promise<readonly BoardCard[]> {
  const statement = new Statement();
  const where = conditions(filter, statement);
  if (ids !== undefined) {
    where.push(
      `s.id in (select jsonb_array_elements_text(${
        statement.add(JSON.stringify(ids))
      }::text::jsonb)::bigint)`,
    );
  }
  const rows = await db.read<Row>(
    `select ${COLUMNS} from sessions s where ${where.join(" and ")}
     order by s.state_since desc, s.id desc limit ${statement.add(limit)}`,
    statement.params,
  );
  return rows.map(toCard);
}

/** What has changed since a moment, and the moment of the look. */
export interface BoardChanges {
  /** When was looked: the moment to look from next. */
  readonly at: Date;
  /** Sessions that changed, each with a mark that differs with each change. */
  readonly changed: readonly { readonly id: number; readonly mark: string }[];
}

/** How far is looked back: no transaction of a session takes longer. */
export const LOOK_BACK_SECONDS = 15;

/**
 * Looks for sessions whose row changed since a little before a moment, or whose
 * snooze ended; without one, since a little before now. Rows bear the time at
 * which their transaction began: whoever looks again and again tells by the
 * marks what it has seen.
 */
export async function readChanges(
  db: Queryable,
  since: Date | undefined,
  limit: number,
): Promise<BoardChanges> {
  const from =
    `coalesce($1::timestamptz, now()) - interval '${LOOK_BACK_SECONDS} seconds'`;
  const [row] = await db.read<Row>(
    `select now() as at, (select coalesce(json_agg(c), '[]'::json) from (
       (select id, updated_at::text as mark from sessions
        where updated_at > ${from} order by updated_at desc limit $2)
       union all
       (select id, snoozed_until::text as mark from sessions
        where visibility = 'snoozed' and snoozed_until > ${from}
          and snoozed_until <= now() limit $2)) c) as changed`,
    [since ?? null, limit],
  );
  const changed = row?.changed as readonly Row[] | undefined ?? [];
  return {
    at: row?.at as Date,
    changed: changed.map(({ id, mark }) => ({
      id: Number(id),
      mark: String(mark),
    })),
  };
}

function conditions(filter: BoardFilter, statement: Statement): string[] {
  const { text, status, agentRootKey, agentRuntime } = filter;
  const found = [
    status === undefined
      ? "s.status <> 'archived'"
      : `s.status = ${statement.add(status)}`,
  ];
  if (status !== "archived") {
    found.push(filter.isOffBoard === true ? `not ${IS_ON_BOARD}` : IS_ON_BOARD);
  }
  if (agentRootKey !== undefined) {
    found.push(`s.agent_root_key = ${statement.add(agentRootKey)}`);
  }
  if (agentRuntime !== undefined) {
    found.push(`s.agent_runtime = ${statement.add(agentRuntime)}`);
  }
  if (filter.isFavorited === true) found.push("s.favorited");
  if (text !== undefined) found.push(`(${textCondition(text, statement)})`);
  return found;
}

function toCard(row: Row): BoardCard {
  return {
    ...toStanding(row),
    categoryId: row.category_id === null ? null : Number(row.category_id),
    isFavorited: row.favorited === true,
    isOnBoard: row.is_on_board === true,
  };
}
