/**
 * Items of the backlog as answers have them.
 *
 * @module
 */
import { BANDS, GAP } from "../../../fleet/mod.ts";
import {
  ADDED_VIA,
  type BacklogItem,
  COSTS,
  ITEM_STATUSES,
  type ItemCounts,
  SCOPE_DIRECTIONS,
} from "../../../store/backlog/mod.ts";
import { isoTime } from "../../render.ts";
import {
  COUNT,
  FLAG,
  FREE,
  listOf,
  objectOf,
  orNull,
  TEXT,
  TIME,
  type ValueOf,
  wordOf,
} from "../../schema.ts";

/** An item. */
export const ITEM = objectOf({
  id: COUNT,
  key: TEXT,
  issue_url: orNull(TEXT),
  repo: TEXT,
  surface: TEXT,
  title: TEXT,
  kind: TEXT,
  scope_direction: wordOf(SCOPE_DIRECTIONS),
  estimated_cost: wordOf(COSTS),
  ratings: FREE,
  gate_verdict: orNull(TEXT),
  gate_session: orNull(TEXT),
  decided_at: orNull(TEXT),
  added_at: TIME,
  added_by: TEXT,
  added_via: wordOf(ADDED_VIA),
  precedence: { type: "integer" },
  pinned: FLAG,
  status: wordOf(ITEM_STATUSES),
  prompt: orNull(TEXT),
  notes: orNull(TEXT),
  writing_session_id: orNull(COUNT),
  started_session_id: orNull(COUNT),
  started_by_session_id: orNull(COUNT),
  started_at: orNull(TIME),
  removed_at: orNull(TIME),
  removed_by: orNull(TEXT),
  removal_reason: orNull(TEXT),
});

/** How many items there are of what. */
export const COUNTS = objectOf({
  queued: COUNT,
  pinned: COUNT,
  started: COUNT,
  in_flight: COUNT,
  parked: COUNT,
  removed: COUNT,
});

/** How items stand in line. */
export const RANKING = objectOf({
  order: TEXT,
  gap: COUNT,
  bands: listOf(objectOf({
    cost: wordOf(COSTS),
    floor: COUNT,
    base: COUNT,
    ceiling: COUNT,
  })),
});

/** The same, told. */
export const RANKING_VALUE: ValueOf<typeof RANKING> = {
  order: "precedence desc, added_at asc, id asc",
  gap: GAP,
  bands: COSTS.map((cost) => ({ cost, ...BANDS[cost] })),
};

/** The item with the field names of the wire. */
export function itemShape(item: BacklogItem): ValueOf<typeof ITEM> {
  const { payload } = item;
  const text = (value: unknown) => typeof value === "string" ? value : null;
  return {
    id: item.id,
    key: item.key,
    issue_url: item.issueUrl,
    repo: item.repo,
    surface: item.surface,
    title: item.title,
    kind: item.kind,
    scope_direction: item.scopeDirection,
    estimated_cost: item.estimatedCost,
    ratings: isObject(payload.ratings) ? payload.ratings : {},
    gate_verdict: item.gateVerdict,
    gate_session: text(payload.gate_session),
    decided_at: item.decidedAt,
    added_at: isoTime(item.addedAt),
    added_by: item.addedBy,
    added_via: item.addedVia,
    precedence: item.precedence,
    pinned: item.pinned,
    status: item.status,
    prompt: text(payload.prompt),
    notes: text(payload.notes),
    writing_session_id: item.writingSessionId,
    started_session_id: item.startedSessionId,
    started_by_session_id: item.startedBySessionId,
    started_at: isoTime(item.startedAt),
    removed_at: isoTime(item.removedAt),
    removed_by: item.removedBy,
    removal_reason: item.removalReason,
  };
}

/** The figures with the field names of the wire. */
export function countsShape(counts: ItemCounts): ValueOf<typeof COUNTS> {
  const { inFlight, ...others } = counts;
  return { ...others, in_flight: inFlight };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
