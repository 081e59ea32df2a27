/**
 * What requests to models used. Each request is counted once, however often,
 * in whatever order and by whatever fork it is reported.
 *
 * @module
 */
import type { Queryable } from "../pg/db.ts";

/** The model of a request that does not say. */
export const UNKNOWN_MODEL = "unknown";

/** What one request used. */
export interface RequestUsage {
  /** Names the request, 1 to 300 characters: the same name is the same one. */
  readonly requestId: string;
  /** The session that made it; null where it is none's. */
  readonly sessionId: number | null;
  /** The turn that made it. */
  readonly turnId: number | null;
  /** The session's root. */
  readonly agentRoot: string | null;
  /** What made it, where it is no session's. */
  readonly source?: string | undefined;
  /** The model; null where the agent does not say. */
  readonly model: string | null;
  /** Whether a subagent made it. */
  readonly isSubagent: boolean;
  /** Tokens read, without those from the cache. */
  readonly inputTokens: number;
  /** Tokens written, thinking among them. */
  readonly outputTokens: number;
  /** Tokens read from the cache. */
  readonly cacheReadTokens: number;
  /** Tokens written to the cache. */
  readonly cacheCreationTokens: number;
  /** Of these, for five minutes; null where they are not told apart. */
  readonly cacheCreation5mTokens: number | null;
  /** Searches of the web. */
  readonly webSearchRequests: number;
  /** What the agent says it cost, in US dollars. */
  readonly reportedUsd: number | null;
  /** Whether something may be left out. */
  readonly isPartial: boolean;
  /** When it was made. */
  readonly calledAt: Date;
}

/** Requests of one statement. */
const BATCH = 1_000;
/** Beyond this no figure is one of tokens. */
const MOST = 1_000_000_000_000;

/**
 * Records requests; how many were new. A figure that is none counts as 0.
 * `superseded` names rows that stood for what was not known and is told now:
 * they are taken out.
 */
export async function recordUsage(
  tx: Queryable,
  usages: readonly RequestUsage[],
  { superseded = [] }: { readonly superseded?: readonly string[] } = {},
): Promise<number> {
  // One of each name: two in a statement would lock in no order.
  const sorted = usages.toSorted((a, b) => a.requestId < b.requestId ? -1 : 1);
  let added = 0;
  for (let at = 0; at < sorted.length; at += BATCH) {
    const reports = sorted.slice(at, at + BATCH).map(reportOf);
    const [row] = await tx.write<{ added: number }>(
      `select record_token_usage($1::text::jsonb,
         array(select jsonb_array_elements_text($2::text::jsonb))) as added`,
      [JSON.stringify(reports), JSON.stringify(superseded)],
    );
    added += row?.added ?? 0;
  }
  return added;
}

function reportOf(usage: RequestUsage): Readonly<Record<string, unknown>> {
  const whole = (value: number) =>
    Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), MOST) : 0;
  const model = usage.model?.trim().toWellFormed().replaceAll("\0", "") ?? "";
  const usd = usage.reportedUsd;
  return {
    request_id: usage.requestId,
    session_id: usage.sessionId,
    turn_id: usage.turnId,
    agent_root: usage.agentRoot,
    source: usage.source ?? null,
    model: model === "" ? UNKNOWN_MODEL : model.slice(0, 200),
    is_subagent: usage.isSubagent,
    input_tokens: whole(usage.inputTokens),
    output_tokens: whole(usage.outputTokens),
    cache_read_tokens: whole(usage.cacheReadTokens),
    cache_creation_tokens: whole(usage.cacheCreationTokens),
    cache_creation_5m_tokens: usage.cacheCreation5mTokens === null
      ? null
      : whole(usage.cacheCreation5mTokens),
    web_search_requests: whole(usage.webSearchRequests),
    reported_usd: usd !== null && Number.isFinite(usd) && usd >= 0 ? usd : null,
    is_partial: usage.isPartial,
    called_at: usage.calledAt.toISOString(),
  };
}
