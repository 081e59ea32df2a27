/**
 * The log of a session and the transcripts of its subagents, by pages.
 *
 * @module
 */
import type { Queryable, Row } from "../pg/db.ts";

/** A line of a session's log. */
export interface LogLine {
  /** Its number. */
  readonly id: number;
  /** How much it matters. */
  readonly level: string;
  /** What happened. */
  readonly content: string;
  /** When. */
  readonly createdAt: Date;
}

/** Reads lines of a log, newest first. */
export async function readLogs(
  db: Queryable,
  sessionId: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly LogLine[]> {
  const rows = await db.read<Row>(
    `select id, level, content, created_at from session_logs
     where session_id = $1 order by id desc limit $2 offset $3`,
    [sessionId, limit, offset],
  );
  return rows.map(toLine);
}

function toLine(row: Row): LogLine {
  return {
    id: Number(row.id),
    level: String(row.level),
    content: String(row.content),
    createdAt: row.created_at as Date,
  };
}

/** What a subagent of a session said. */
export interface SubagentTranscript {
  /** Its name in the session. */
  readonly agentId: string;
  /** Where it stands. */
  readonly status: string | null;
  /** What it was asked for. */
  readonly description: string | null;
  /** Which kind of agent. */
  readonly type: string | null;
  /** What it said, up to the asked length. */
  readonly transcript: string;
  /** Characters of all that it said. */
  readonly characters: number;
  /** Messages. */
  readonly messages: number;
  /** Tool calls. */
  readonly toolCalls: number;
}

/** Reads transcripts of subagents, in the order of their beginning. */
export async function readSubagents(
  db: Queryable,
  sessionId: number,
  { limit, offset, characters }: {
    readonly limit: number;
    readonly offset: number;
    readonly characters: number;
  },
): Promise<readonly SubagentTranscript[]> {
  const rows = await db.read<Row>(
    `select agent_id, status, description, subagent_type, left(transcript, $4) as transcript,
       char_length(transcript) as characters, message_count, tool_call_count
     from subagent_transcripts where session_id = $1
     order by id limit $2 offset $3`,
    [sessionId, limit, offset, characters],
  );
  return rows.map((row) => ({
    agentId: String(row.agent_id),
    status: row.status as string | null,
    description: row.description as string | null,
    type: row.subagent_type as string | null,
    transcript: String(row.transcript),
    characters: Number(row.characters),
    messages: Number(row.message_count),
    toolCalls: Number(row.tool_call_count),
  }));
}
