/**
 * `GET /v1/events` and `/v1/events/{id}`: listing events, newest first, each
 * one once.
 *
 * @module
 */
import {
  assertKnownQuery,
  limitParameter,
  requiredParameter,
  shareOf,
  switchParameter,
  type WireCall,
} from "./call.ts";
import {
  FOLD_HEADER,
  FOLD_WORD,
  MAX_FOLD_IDS,
  TURN_IDS_WORD,
} from "../client/headers.ts";
import { invalid, WireError } from "./wire_error.ts";
import { parseTime } from "./fields.ts";
import type { LogListRequest } from "./port.ts";
import { assertScopePath } from "./scope_path.ts";
import { reachOfView, toWireEvent } from "./wire_event.ts";

const LIMIT = { standard: 50, most: 1_000 };
const MAX_ASKED_LABELS = 100;
const PARAMETERS = [
  "scope",
  "limit",
  "cursor",
  "labels",
  "view",
  "since",
  "until",
  "observed_actor",
  "modality",
  "exclude_content",
];

/** One page of a scope's events. */
export async function getEvents(
  { request, query, log }: WireCall,
): Promise<Response> {
  assertKnownQuery(query, PARAMETERS);
  const scope = assertScopePath(requiredParameter(query, "scope"));
  const isContentExcluded = switchParameter(query, "exclude_content") === true;
  const { events, hasMore } = await log.list({
    reach: reachOfView(query.get("view") ?? "local", scope),
    filter: {
      labels: labelsOf(query.get("labels")),
      actors: listOf(query.get("observed_actor")),
      modality: query.get("modality") ?? undefined,
      since: timeOf(query, "since"),
      until: timeOf(query, "until"),
      recordedBy: undefined,
    },
    before: offsetOf(query.get("cursor")),
    limit: limitParameter(query, LIMIT),
    ...(isContentExcluded ? { textLimit: 0 } : shareOf(request)),
    foldWith: foldOf(request),
  });
  return Response.json({
    items: events.map((event) => toWireEvent(event, isContentExcluded)),
    has_more: hasMore,
    next_cursor: hasMore ? `o${events.at(-1)?.offset}` : null,
  });
}

/** One event. */
export async function getEvent(
  { request, query, rest, log }: WireCall,
): Promise<Response> {
  assertKnownQuery(query, []);
  const [event] = await log.read([rest], shareOf(request));
  if (event !== undefined) return Response.json(toWireEvent(event));
  throw new WireError(404, "NOT_FOUND", "There is no such event");
}

/** Whether conversations come as one each, and with which of their turns. */
function foldOf({ headers }: Request): LogListRequest["foldWith"] {
  const [word, ...ids] = listOf(headers.get(FOLD_HEADER));
  if (word === undefined) return undefined;
  if (word === TURN_IDS_WORD && ids.length === 0) return "ids";
  if (word === FOLD_WORD && ids.length <= MAX_FOLD_IDS) return ids;
  throw invalid(
    `${FOLD_HEADER} must be ${FOLD_WORD}, with at most ${MAX_FOLD_IDS} event ids behind it, or ${TURN_IDS_WORD}`,
    "INVALID_QUERY",
  );
}

function labelsOf(text: string | null): readonly string[] {
  const labels = listOf(text);
  if (labels.length <= MAX_ASKED_LABELS) return labels;
  throw invalid(
    `labels holds at most ${MAX_ASKED_LABELS} labels`,
    "INVALID_QUERY",
  );
}

function listOf(text: string | null): readonly string[] {
  return text === null ? [] : text.split(",").filter((one) => one !== "");
}

function timeOf(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  return text === null ? undefined : parseTime(text, name);
}

function offsetOf(cursor: string | null): number | undefined {
  if (cursor === null) return undefined;
  const offset = /^o([1-9][0-9]{0,15})$/.exec(cursor)?.[1];
  if (offset !== undefined) return Number(offset);
  throw invalid("cursor is none that a page gave out", "INVALID_CURSOR");
}
