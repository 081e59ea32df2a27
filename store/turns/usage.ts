/**
 * Use of models, one row for what was counted once.
 *
 * @module
 */
import type { Transaction } from "../pg/db.ts";

/** A row; null is unknown. */
export interface NewUsage {
  /** Names what was counted. */
  readonly requestId: string;
  /** The model. */
  readonly model: string;
  /** Without what came from the cache. */
  readonly inputTokens: number;
  /** Thinking among them. */
  readonly outputTokens: number;
  /** Read from the cache. */
  readonly cacheReadTokens: number;
  /** Written to the cache. */
  readonly cacheWriteTokens: number;
}

/** Writes rows of a turn; the last value of a name wins. */
export async function upsertUsage(
  tx: Transaction,
  turn: {
    readonly id: number;
    readonly sessionId: number;
    readonly agentRoot: string | null;
  },
  rows: readonly NewUsage[],
): Promise<void> {
  for (const row of rows) {
    await tx.write(
      `insert into session_token_usages (request_id, session_id, turn_id,
         agent_root, model, input_tokens, output_tokens, cache_read_tokens,
         cache_creation_tokens, called_at)
       values (left($1, 300), $2, $3, $4, $5, $6, $7, $8, $9, now())
       on conflict (request_id) do update set model = excluded.model,
         input_tokens = excluded.input_tokens,
         output_tokens = excluded.output_tokens,
         cache_read_tokens = excluded.cache_read_tokens,
         cache_creation_tokens = excluded.cache_creation_tokens`,
      [
        row.requestId,
        turn.sessionId,
        turn.id,
        turn.agentRoot,
        row.model,
        row.inputTokens,
        row.outputTokens,
        row.cacheReadTokens,
        row.cacheWriteTokens,
      ],
    );
  }
}
