/**
 * What callers ask of the ledger, checked.
 *
 * @module
 */
import { cutText } from "../../catalog/mod.ts";
import {
  type DecisionPage,
  type FeedbackWithDecision,
  listFeedback,
  searchDecisions as searchStore,
} from "../../store/gate/mod.ts";
import { assertStorable } from "../../store/pg/mod.ts";
import { FleetRefusalError } from "../errors.ts";
import type { Fleet } from "../fleet.ts";
import { isDay } from "./entry.ts";
import { gateOf, surfaceOf } from "./names.ts";

/** Decisions of a page where a call does not say. */
export const DEFAULT_DECISIONS = 10;
/** Most decisions of a page. */
export const MAX_DECISIONS = 100;
/** Most decisions that can be skipped; a cursor goes further. */
export const MAX_DECISION_OFFSET = 10_000;
/** Longest text that is looked for, in characters. */
const MAX_QUERY_CHARACTERS = 1_000;

/** What is asked for, as callers write it. */
export interface DecisionQuery {
  /** The gate, by name or alias. */
  readonly gate?: string | undefined;
  /** What it was made about. */
  readonly surface?: string | undefined;
  /** The verdict, exactly. */
  readonly decision?: string | undefined;
  /** The address of the pull request or issue, exactly. */
  readonly artifactUrl?: string | undefined;
  /** A part of that address. */
  readonly artifactQuery?: string | undefined;
  /** A part of the entry's text. */
  readonly query?: string | undefined;
  /** Only what a person said something of. */
  readonly withFeedback?: boolean | undefined;
  /** First day, ISO 8601. */
  readonly from?: string | undefined;
  /** Last day, ISO 8601. */
  readonly to?: string | undefined;
  /** Decisions at most; 0 or less stands for the default. */
  readonly limit?: number | undefined;
  /** Decisions to skip. */
  readonly offset?: number | undefined;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
  /** Fires when nobody waits any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds decisions, newest first.
 *
 * @throws {FleetRefusalError} What is asked for makes no sense.
 * @throws {StoreRefusalError} The cursor is not of this search.
 */
export async function searchDecisions(
  { store }: Pick<Fleet, "store">,
  query: DecisionQuery,
): Promise<DecisionPage> {
  const { gate, surface, from, to, offset = 0 } = query;
  const texts = [query.decision, query.artifactUrl, query.artifactQuery]
    .concat(query.query, surface);
  for (const text of texts) assertQuery(text);
  assertDay("from", from);
  assertDay("to", to);
  if (from !== undefined && to !== undefined && from > to) {
    throw new FleetRefusalError(
      "bad_argument",
      `from (${from}) is behind to (${to}), so no day lies between them`,
    );
  }
  if (offset > MAX_DECISION_OFFSET) {
    throw new FleetRefusalError(
      "bad_argument",
      `offset is ${MAX_DECISION_OFFSET} at most; go further by next_cursor, which also stays right while others record`,
    );
  }
  return await searchStore(await store.db(), {
    gate: given(gate) === undefined ? undefined : gateOf(String(gate)),
    surface: given(surface) === undefined
      ? undefined
      : surfaceOf(String(surface)),
    decision: given(query.decision),
    artifactUrl: given(query.artifactUrl),
    artifactQuery: given(query.artifactQuery),
    query: given(query.query),
    withFeedback: query.withFeedback,
    from,
    to,
    limit: limitOf(query.limit),
    offset: Math.max(0, offset),
    cursor: query.cursor,
    signal: query.signal,
  });
}

/** Which feedback is asked for, as callers write it. */
export type FeedbackQuery =
  & Pick<DecisionQuery, "gate" | "surface" | "limit">
  & { readonly decisionId?: number | undefined };

/** Lists feedback, newest first. @throws {FleetRefusalError} No such gate. */
export async function searchFeedback(
  { store }: Pick<Fleet, "store">,
  { gate, surface, decisionId, limit }: FeedbackQuery,
): Promise<FeedbackWithDecision[]> {
  assertQuery(surface);
  return await listFeedback(await store.db(), {
    gate: given(gate) === undefined ? undefined : gateOf(String(gate)),
    surface: given(surface) === undefined
      ? undefined
      : surfaceOf(String(surface)),
    decisionId,
    limit: limitOf(limit),
  });
}

function limitOf(limit: number = 0): number {
  return limit <= 0 ? DEFAULT_DECISIONS : Math.min(limit, MAX_DECISIONS);
}

/** A text that is not blank. */
function given(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}

function assertQuery(text: string | undefined): void {
  if (text === undefined) return;
  const characters = [...text.slice(0, 2 * MAX_QUERY_CHARACTERS + 2)].length;
  if (characters > MAX_QUERY_CHARACTERS) {
    throw new FleetRefusalError(
      "bad_argument",
      `A text to look for has at most ${MAX_QUERY_CHARACTERS} characters; this has ${
        [...text].length
      }`,
    );
  }
  assertStorable(text, "a text to look for");
}

function assertDay(name: string, text: string | undefined): void {
  if (text === undefined || isDay(text)) return;
  throw new FleetRefusalError(
    "bad_argument",
    `${name} is "${
      cutText(text, 40)
    }", which is no day of the calendar; write it as 2026-08-31`,
  );
}
