/**
 * Turns of a session as its page lists them, with what was said and used.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";

/** A turn. */
export interface ListedTurn {
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
  /** Why it did not succeed. */
  readonly failureClass: string | null;
  /** The same for people. */
  readonly detail: string | null;
  /** Which attempt it was. */
  readonly attempt: number;
  /** The runner that has or had it. */
  readonly runner: string | null;
  /** When it was queued. */
  readonly queuedAt: Date;
  /** When a runner took it. */
  readonly leasedAt: Date | null;
  /** When it ended. */
  readonly endedAt: Date | null;
  /** What was said, or the first of it; null until it was leased. */
  readonly prompt: string | null;
  /** How many characters that has. */
  readonly promptCharacters: number;
  /** The person who said it, where one did. */
  readonly author: string | null;
  /** What git found after it. */
  readonly gitAfter: Readonly<Record<string, unknown>> | null;
  /** Requests to its model. */
  readonly requests: number;
  /** Tokens read, those of the cache among them. */
  readonly inputTokens: number;
  /** Tokens written. */
  readonly outputTokens: number;
}

/** Characters of what was said at most. */
export const PROMPT_CHARACTERS = 20_000;

/** Reads turns, newest first: the latest, or those of `ids`. */
export async function listTurns(
  db: Queryable,
  sessionId: number,
  { limit, ids }: {
    readonly limit: number;
    readonly ids?: readonly number[] | undefined;
  },
): Promise<readonly ListedTurn[]> {
  const rows = await db.read<Row>(
    `select t.id, t.ordinal, t.kind, t.phase, t.outcome, t.class, t.detail,
       t.attempt, r.name as runner, t.queued_at, t.leased_at, t.ended_at,
       left(t.prompt, ${PROMPT_CHARACTERS}) as prompt,
       coalesce(char_length(t.prompt), 0) as prompt_characters,
       (select m.author from human_messages m where m.session_id = t.session_id
          and case when t.kind = 'start' then m.provenance ? 'start'
            else (m.provenance ->> 'message_id')::bigint = t.message_id end
        order by m.id limit 1) as author,
       t.git_after, coalesce(u.requests, 0) as requests,
       coalesce(u.input, 0) as input, coalesce(u.output, 0) as output
     from turns t left join runners r on r.id = t.runner_id
     left join lateral (
       select count(*)::int as requests, sum(output_tokens) as output,
         sum(input_tokens + cache_read_tokens + cache_creation_tokens) as input
       from session_token_usages where session_id = $1 and turn_id = t.id) u on true
     where t.session_id = $1 and ($2::text is null or t.id in (
       select jsonb_array_elements_text($2::text::jsonb)::bigint))
     order by t.ordinal desc limit $3`,
    [sessionId, ids === undefined ? null : JSON.stringify(ids), limit],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    ordinal: Number(row.ordinal),
    kind: String(row.kind),
    phase: String(row.phase),
    outcome: row.outcome as string | null,
    failureClass: row.class as string | null,
    detail: row.detail as string | null,
    attempt: Number(row.attempt),
    runner: row.runner as string | null,
    queuedAt: row.queued_at as Date,
    leasedAt: row.leased_at as Date | null,
    endedAt: row.ended_at as Date | null,
    prompt: row.prompt as string | null,
    promptCharacters: Number(row.prompt_characters),
    author: row.author as string | null,
    gitAfter: row.git_after as Record<string, unknown> | null,
    requests: Number(row.requests),
    inputTokens: Number(row.input),
    outputTokens: Number(row.output),
  }));
}
