/**
 * What a turn used, into the ledger, in the transaction of its end.
 *
 * @module
 */
import { recordUsage, type RequestUsage } from "../../store/costs/mod.ts";
import type { Transaction } from "../../store/pg/mod.ts";
import type { Session } from "../../store/sessions/mod.ts";
import type { TurnRow } from "../../store/turns/mod.ts";
import { storable } from "./event_text.ts";
import type { UsageReport } from "./protocol.ts";

/** Use of which nothing is known. */
export const UNKNOWN_USE: Omit<UsageReport, "request_key" | "is_partial"> =
  Object.freeze({
    model: null,
    input_tokens: null,
    output_tokens: null,
    cache_read_tokens: null,
    cache_write_tokens: null,
    reported_usd: null,
  });

/** Whose use it is. */
interface Spender {
  /** The turn's session. */
  readonly session: Session;
  /** The turn. */
  readonly turn: Pick<TurnRow, "id" | "leaseNo" | "phase">;
  /** When the turn ended. */
  readonly at: Date;
}

/**
 * Writes down what a turn reported; what was reported before counts once. A
 * turn that broke off after its agent had the prompt, and reports nothing, used
 * something that nobody knows: a row says so, until its runner tells.
 */
export async function noteUsage(
  tx: Transaction,
  spender: Spender,
  { rows, isLost = false }: {
    readonly rows: readonly UsageReport[];
    /** Whether nobody is there to tell. */
    readonly isLost?: boolean;
  },
): Promise<void> {
  const { session, turn } = spender;
  const unknown = unknownUsageKey(turn);
  if (rows.length > 0) {
    await recordUsage(tx, rows.map((row) => toUsage(spender, row)), {
      superseded: [unknown],
    });
    return;
  }
  // Of a command nothing is ever told.
  const isSilent = session.agentRuntime === "command";
  if (!isLost || isSilent || turn.phase !== "delivered") return;
  const { model } = session.config;
  await recordUsage(tx, [toUsage(spender, {
    ...UNKNOWN_USE,
    request_key: unknown,
    model: typeof model === "string" ? model : null,
    is_partial: true,
  })]);
}

/** Names the row that stands for what a turn used and nobody tells. */
export function unknownUsageKey(
  { id, leaseNo }: Pick<TurnRow, "id" | "leaseNo">,
): string {
  return `lost:${id}.${leaseNo}`;
}

/** A row of the ledger; what an agent does not say counts as nothing. */
export function toUsage(
  { session, turn, at }: {
    readonly session: Pick<Session, "id" | "agentRootKey">;
    readonly turn: Pick<TurnRow, "id">;
    readonly at: Date;
  },
  row: UsageReport,
): RequestUsage {
  return {
    requestId: String(storable({ key: row.request_key }).key),
    sessionId: session.id,
    turnId: turn.id,
    agentRoot: session.agentRootKey,
    model: row.model,
    isSubagent: false,
    inputTokens: row.input_tokens ?? 0,
    outputTokens: row.output_tokens ?? 0,
    cacheReadTokens: row.cache_read_tokens ?? 0,
    cacheCreationTokens: row.cache_write_tokens ?? 0,
    cacheCreation5mTokens: null,
    webSearchRequests: 0,
    reportedUsd: row.reported_usd,
    isPartial: row.is_partial,
    calledAt: at,
  };
}
