/**
 * All that the tools of sessions may change, as one value: what is equal before
 * and after a call was not changed by it.
 *
 * @module
 */
import type { Db } from "../../store/pg/db.ts";

const TABLES = [
  "sessions",
  "enqueued_messages",
  "turns",
  "turn_commands",
  "notifications",
  "session_logs",
  "session_uncle_links",
  "session_status_summaries",
  "human_messages",
  "elicitations",
  "categories",
  "outcome_analyses",
  "triggers",
  "trigger_conditions",
  "runner_commands",
  "app_settings",
  "rootcellar_jobs.job",
] as const;

/** Reads it. */
export async function readFleetState(
  db: Db,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const state: Record<string, readonly string[]> = {};
  for (const table of TABLES) {
    const rows = await db.read<{ row: string }>(
      `select to_jsonb(t)::text as row from ${table} t`,
    );
    state[table] = rows.map(({ row }) => row).sort();
  }
  return state;
}
