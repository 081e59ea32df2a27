/**
 * Reads what agents say of their use. What they do not say is null, not 0.
 *
 * @module
 */
import type {
  LimitWindow,
  LoginLimits,
  UsageReport,
} from "../../../fleet/turns/protocol.ts";
import { isJson, type Json, jsonAt } from "./peer.ts";
import type { UsageSource } from "./profile.ts";

/** Counts of tokens, however they are spelt. */
type Tokens = Pick<
  UsageReport,
  | "input_tokens"
  | "output_tokens"
  | "cache_read_tokens"
  | "cache_write_tokens"
>;

const UNKNOWN: Tokens = {
  input_tokens: null,
  output_tokens: null,
  cache_read_tokens: null,
  cache_write_tokens: null,
};

/** `cacheInInput` says that the input counts what came from the cache. */
export function readTokens(
  given: Json,
  { cacheInInput = false }: { readonly cacheInInput?: boolean } = {},
): Tokens | undefined {
  const input = numberOf(given, "inputTokens", "input_tokens");
  const output = numberOf(given, "outputTokens", "output_tokens");
  const read = numberOf(
    given,
    "cachedReadTokens",
    "cached_read_tokens",
    "cache_read_input_tokens",
    "cached_input_tokens",
    "cacheReadInputTokens",
    "cached_tokens",
  );
  const write = numberOf(
    given,
    "cachedWriteTokens",
    "cached_write_tokens",
    "cache_creation_input_tokens",
    "cacheCreationInputTokens",
  );
  if (input === null && output === null) return undefined;
  return {
    input_tokens: input === null
      ? null
      : Math.max(0, cacheInInput ? input - (read ?? 0) : input),
    output_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: write,
  };
}

/** By model, as `_meta.quota.model_usage` of an answer has it, else its sum. */
export function usageOfResult(
  { key, result, model }: UsageSource,
  options?: { readonly cacheInInput?: boolean },
): readonly UsageReport[] {
  const byModel = jsonAt(result, "_meta", "quota").model_usage;
  if (Array.isArray(byModel)) {
    const rows = byModel.filter(isJson).flatMap((entry) => {
      const tokens = readTokens(entry, options) ??
        readTokens(jsonAt(entry, "token_count"), options);
      const name = String(entry.model ?? model ?? "unknown");
      return tokens === undefined
        ? []
        : [report(`${key}:${name}`, name, tokens)];
    });
    if (rows.length > 0) return rows;
  }
  const tokens = readTokens(jsonAt(result, "usage"), options) ??
    readTokens(jsonAt(result, "_meta", "quota", "token_count"), options);
  return tokens === undefined || isNothing(tokens)
    ? [unknownUsage({ key, model })]
    : [report(key, model, tokens)];
}

/** Use that happened, and of which nothing was said. */
export function unknownUsage(
  { key, model }: Pick<UsageSource, "key" | "model">,
): UsageReport {
  return { ...report(key, model, UNKNOWN), is_partial: true };
}

/** One row. */
export function report(
  request_key: string,
  model: string | null,
  tokens: Tokens,
): UsageReport {
  return {
    request_key,
    model,
    ...tokens,
    reported_usd: null,
    is_partial: false,
  };
}

/** Limits by Claude's `rate_limit_event`; null where it said nothing. */
export function limitsOfClaude(
  raw: readonly Json[],
  nowMs: number,
): LoginLimits | null {
  const events = raw.filter(({ type }) => type === "rate_limit_event")
    .map((message) => jsonAt(message, "rate_limit_info"));
  const last = events.at(-1);
  if (last === undefined) return null;
  const windows = new Map<string, LimitWindow>();
  for (const info of events) {
    const unified = jsonAt(info, "unifiedWindows");
    const told: readonly (readonly [string, Json])[] =
      Object.keys(unified).length > 0
        ? Object.keys(unified).map((name) => [name, jsonAt(unified, name)])
        : [[String(info.rateLimitType ?? "unknown"), info]];
    for (const [name, window] of told) {
      windows.set(name, {
        name,
        utilization: numberOf(window, "utilization"),
        resets_in_ms: untilReset(window, nowMs),
      });
    }
  }
  return {
    windows: [...windows.values()],
    rejected_for_ms: last.status === "rejected"
      ? untilReset(last, nowMs)
      : null,
  };
}

/** Seconds or milliseconds of an epoch, or ISO: as milliseconds from now. */
function untilReset(info: Json, nowMs: number): number | null {
  const { resetsAt } = info;
  const at = typeof resetsAt === "number"
    ? resetsAt < 1e11 ? resetsAt * 1_000 : resetsAt
    : typeof resetsAt === "string"
    ? Date.parse(resetsAt)
    : NaN;
  return Number.isFinite(at) ? Math.max(0, Math.round(at - nowMs)) : null;
}

function numberOf(given: Json, ...names: readonly string[]): number | null {
  for (const name of names) {
    const value = given[name];
    if (typeof value === "number" && Number.isFinite(value)) return value;
  }
  return null;
}

/** A cancelled turn is answered with zeros, though the model was billed. */
function isNothing({ input_tokens, output_tokens }: Tokens): boolean {
  return (input_tokens ?? 0) === 0 && (output_tokens ?? 0) === 0;
}
