/**
 * What happened to a session, a line each.
 *
 * @module
 */
import type { Transaction } from "../pg/db.ts";

/** How much a line matters. */
export type LogLevel = "info" | "error" | "debug" | "warning" | "verbose";

/** Writes a line. */
export async function writeLog(
  tx: Transaction,
  sessionId: number,
  content: string,
  level: LogLevel = "info",
): Promise<void> {
  await tx.write(
    "insert into session_logs (session_id, level, content) values ($1, $2, $3)",
    [sessionId, level, content],
  );
}
