/**
 * Analyses of sessions that are over: one is current, those before it stay.
 *
 * @module
 */
import type { Queryable, Row, Transaction } from "../pg/db.ts";

/** An analysis, without its tree. */
export interface Analysis {
  /** Its number. */
  readonly id: number;
  /** The session that it is of. */
  readonly sessionId: number;
  /** The session that made it. */
  readonly analyzerSessionId: number | null;
  /** `Success` or `Failure` of the whole. */
  readonly rootOutcome: string;
  /** All segments. */
  readonly segments: number;
  /** Those that failed. */
  readonly failures: number;
  /** Levels. */
  readonly depth: number;
  /** Notes of whoever made it. */
  readonly notes: string | null;
  /** Version of the tree's form. */
  readonly schemaVersion: string | null;
  /** When it was saved. */
  readonly analyzedAt: Date;
}

/** An analysis to be saved. */
export interface NewAnalysis extends Omit<Analysis, "id" | "analyzedAt"> {
  /** The tree. */
  readonly root: Readonly<Record<string, unknown>>;
  /** The session's root, as it is now. */
  readonly agentRoot: string | null;
  /** Its runtime. */
  readonly agentRuntime: string | null;
  /** Its model. */
  readonly model: string | null;
}

const COLUMNS =
  `id, session_id, analyzer_session_id, root_outcome, segment_count,
  failure_segment_count, max_depth, notes, schema_version, analyzed_at`;

/** Saves it, and stamps the current one. The caller holds the session's lock. */
export async function insertAnalysis(
  tx: Transaction,
  made: NewAnalysis,
): Promise<
  { readonly analysis: Analysis; readonly superseded: number | undefined }
> {
  const [before] = await tx.write<{ id: string }>(
    `update outcome_analyses set superseded_at = now()
     where session_id = $1 and superseded_at is null returning id`,
    [made.sessionId],
  );
  const [row] = await tx.write<Row>(
    `insert into outcome_analyses (session_id, analyzer_session_id, root,
       root_outcome, segment_count, failure_segment_count, max_depth, notes,
       schema_version, agent_root, agent_runtime, model)
     values ($1, $2, $3::text::jsonb, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     returning ${COLUMNS}`,
    [
      made.sessionId,
      made.analyzerSessionId,
      JSON.stringify(made.root),
      made.rootOutcome,
      made.segments,
      made.failures,
      made.depth,
      made.notes,
      made.schemaVersion,
      made.agentRoot,
      made.agentRuntime,
      made.model,
    ],
  );
  return {
    analysis: toAnalysis(row as Row),
    superseded: before === undefined ? undefined : Number(before.id),
  };
}

/** The current analysis of a session, with its tree. */
export async function findAnalysis(
  db: Queryable,
  sessionId: number,
): Promise<
  | { readonly analysis: Analysis; readonly root: Record<string, unknown> }
  | undefined
> {
  const [row] = await db.read<Row>(
    `select ${COLUMNS}, root from outcome_analyses
     where session_id = $1 and superseded_at is null`,
    [sessionId],
  );
  return row === undefined ? undefined : {
    analysis: toAnalysis(row),
    root: row.root as Record<string, unknown>,
  };
}

function toAnalysis(row: Row): Analysis {
  return {
    id: Number(row.id),
    sessionId: Number(row.session_id),
    analyzerSessionId: row.analyzer_session_id === null
      ? null
      : Number(row.analyzer_session_id),
    rootOutcome: String(row.root_outcome),
    segments: Number(row.segment_count),
    failures: Number(row.failure_segment_count),
    depth: Number(row.max_depth),
    notes: row.notes as string | null,
    schemaVersion: row.schema_version as string | null,
    analyzedAt: row.analyzed_at as Date,
  };
}
