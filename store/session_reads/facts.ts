/**
 * What is told of one session beside its row: its turn, its transcript's length,
 * its summary, what it asks. Constant numbers of statements and short answers,
 * however much it has said.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";
import { SUMMARY_PATIENCE_SECONDS } from "../turns/summaries.ts";
import { REFUSED_UNTIL, RUNNER_AWAY } from "./refused.ts";

/** A turn, as far as readers are told of it. */
export interface TurnFacts {
  /** Its number. */
  readonly id: number;
  /** Which turn of its session it is, from 1. */
  readonly ordinal: number;
  /** What it is for. */
  readonly kind: string;
  /** How far it got. */
  readonly phase: string;
  /** How it ended. */
  readonly outcome: string | null;
  /** Not to be leased before. */
  readonly notBefore: Date | null;
  /** When it was queued. */
  readonly queuedAt: Date;
  /** When it ended. */
  readonly endedAt: Date | null;
  /** The runner that has it. */
  readonly runner: string | null;
  /** When that runner was last heard of. */
  readonly runnerSeenAt: Date | null;
  /** The same in seconds of the database's clock. */
  readonly runnerSeenSecondsAgo: number | null;
  /** Seconds since its last event; null where it has none. */
  readonly eventSecondsAgo: number | null;
  /** Head, dirty files and unpushed commits after it. */
  readonly gitAfter: Readonly<Record<string, unknown>> | null;
}

/** The tree of an archived session, once it was removed. */
export interface RemovedTree {
  /** When. */
  readonly at: Date;
  /** The runner that had it. */
  readonly runner: string;
  /** What the runner says of it: where the bundle lies, if there is one. */
  readonly detail: string;
}

/** A summary of what a session did. */
export interface SummaryFacts {
  /** Whether there is one, or one is being made. */
  readonly state: "idle" | "pending" | "ready" | "failed";
  /** The summary. */
  readonly text: string | null;
  /** When it was made. */
  readonly generatedAt: Date | null;
  /** Transcript events that it was made of. */
  readonly events: number;
  /** Whether one that was asked for did not come. */
  readonly isAbandoned: boolean;
  /** Why it failed. */
  readonly error: string | null;
}

/** What is told of a session beside its row. */
export interface SessionFacts {
  /** Name of its category. */
  readonly category: string | null;
  /** Events of its transcript. */
  readonly events: number;
  /** Lines of its log. */
  readonly logs: number;
  /** Transcripts of its subagents. */
  readonly subagents: number;
  /** Questions of its agent that wait for an answer. */
  readonly openElicitations: readonly {
    readonly requestId: string;
    readonly message: string;
    readonly expiresAt: Date;
  }[];
  /** What became of its tree; undefined while it is kept. */
  readonly removedTree: RemovedTree | undefined;
  /** Its latest turn. */
  readonly turn: TurnFacts | undefined;
  /** Its summary. */
  readonly summary: SummaryFacts | undefined;
  /** Whether a runner was heard of lately that runs its agent. */
  readonly hasRunner: boolean;
  /**
   * Until when its login is refused at every such runner; null where one would
   * take it, and where there is none.
   */
  readonly refusedUntil: Date | null;
}

/** Questions that are told at most. */
const MAX_QUESTIONS = 5;

/** Reads them. */
export async function readSessionFacts(
  db: Queryable,
  id: number,
): Promise<SessionFacts> {
  const [[row], turns, summaries, questions, [removed]] = await Promise.all([
    db.read<Row>(
      `select (select name from categories c where c.id = s.category_id) as category,
         (select coalesce(sum(next_seq - 1), 0) from turns t where t.session_id = s.id
           and t.kind <> 'summary') as events,
         (select count(*) from session_logs l where l.session_id = s.id) as logs,
         (select count(*) from subagent_transcripts a where a.session_id = s.id) as subagents,
         exists (select 1 from runners r where r.revoked_at is null
           and r.seen_at > now() - interval '${RUNNER_AWAY}'
           and (s.agent_runtime is null or s.agent_runtime = any (r.runtimes))) as has_runner,
         ${REFUSED_UNTIL} as refused_until
       from sessions s where s.id = $1`,
      [id],
    ),
    db.read<Row>(
      `select t.id, t.ordinal, t.kind, t.phase, t.outcome, t.not_before, t.queued_at,
         t.ended_at, t.git_after, r.name as runner, r.seen_at,
         extract(epoch from now() - r.seen_at)::float8 as seen_ago,
         (select extract(epoch from now() - e.at)::float8 from turn_events e
          where e.turn_id = t.id order by e.seq desc limit 1) as event_ago
       from turns t left join runners r on r.id = t.runner_id
       where t.session_id = $1 and t.kind <> 'summary'
       order by t.ordinal desc limit 1`,
      [id],
    ),
    db.read<Row>(
      `select state, summary, generated_at, transcript_event_count, error,
         state = 'pending' and requested_at < now() -
           ${SUMMARY_PATIENCE_SECONDS} * interval '1 second' as is_abandoned
       from session_status_summaries where session_id = $1`,
      [id],
    ),
    db.read<Row>(
      `select request_id, left(message, 301) as message, expires_at from elicitations
       where session_id = $1 and status = 'pending' and expires_at > now()
       order by expires_at, id limit ${MAX_QUESTIONS}`,
      [id],
    ),
    db.read<Row>(
      `select c.acknowledged_at, c.result ->> 'detail' as detail, r.name
       from runner_commands c join runners r on r.id = c.runner_id
       join sessions s on s.id = $1
       where c.kind = 'remove_tree' and c.result ->> 'ok' = 'true'
         and c.payload = jsonb_build_object('session_id', $1::bigint)
         and s.status = 'archived' and c.created_at >= s.archived_at
       order by c.id desc limit 1`,
      [id],
    ),
  ]);
  return {
    category: (row?.category ?? null) as string | null,
    events: Number(row?.events ?? 0),
    logs: Number(row?.logs ?? 0),
    subagents: Number(row?.subagents ?? 0),
    hasRunner: row?.has_runner === true,
    refusedUntil: (row?.refused_until ?? null) as Date | null,
    removedTree: removed === undefined ? undefined : {
      at: removed.acknowledged_at as Date,
      runner: String(removed.name),
      detail: String(removed.detail),
    },
    turn: turns.map(toTurn)[0],
    summary: summaries.map(toSummary)[0],
    openElicitations: questions.map((one) => ({
      requestId: String(one.request_id),
      message: String(one.message),
      expiresAt: one.expires_at as Date,
    })),
  };
}

function toTurn(row: Row): TurnFacts {
  return {
    id: Number(row.id),
    ordinal: Number(row.ordinal),
    kind: String(row.kind),
    phase: String(row.phase),
    outcome: row.outcome as string | null,
    notBefore: row.not_before as Date | null,
    queuedAt: row.queued_at as Date,
    endedAt: row.ended_at as Date | null,
    runner: row.runner as string | null,
    runnerSeenAt: row.seen_at as Date | null,
    runnerSeenSecondsAgo: row.seen_ago as number | null,
    eventSecondsAgo: row.event_ago as number | null,
    gitAfter: row.git_after as Record<string, unknown> | null,
  };
}

function toSummary(row: Row): SummaryFacts {
  return {
    state: row.state as SummaryFacts["state"],
    text: row.summary as string | null,
    generatedAt: row.generated_at as Date | null,
    events: Number(row.transcript_event_count),
    isAbandoned: row.is_abandoned === true,
    error: row.error as string | null,
  };
}
