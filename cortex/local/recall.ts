/**
 * `POST /v1/recall`: a pack of the events that fit a query best.
 *
 * There is one layer, events: facts, beliefs, episodes and understanding take a
 * model and stay empty. A budget cuts the longest events, and leaves out the
 * worst ones where the rest would be too short to be of use.
 *
 * @module
 */
import { shareOf, type WireCall } from "./call.ts";
import { textOf } from "./content.ts";
import { invalid, notConfigured } from "./wire_error.ts";
import type {
  EventLog,
  LogEvent,
  LogFilter,
  LogReach,
  LogShare,
} from "./port.ts";
import {
  assertKnown,
  optionalRecord,
  optionalSwitch,
  optionalText,
  optionalTexts,
  optionalTime,
  optionalWhole,
  optionalWord,
  requiredText,
} from "./fields.ts";
import { type JsonRecord, readJsonBody } from "./json_body.ts";
import { assertScopePath, lineOf, MAX_PATH_CHARACTERS } from "./scope_path.ts";
import { INDEXING_MS, indexRoot } from "./search/indexer.ts";
import { search, type SearchHit } from "./search/search.ts";
import { reachOfView, toWireEvent } from "./wire_event.ts";

const LAYERS = ["events", "episodes", "facts", "beliefs", "understanding"];
/** The longest query. */
export const MAX_QUERY_CHARACTERS = 16_000;
const STANDARD_EVENTS = 20;
/** The most events of one recall. */
export const MAX_EVENTS = 200;
const STANDARD_TOKENS = 4_000;
const CHARACTERS_PER_TOKEN = 4;
/** Characters that a cut event keeps at least. */
const MIN_EXCERPT = 200;

/** Scopes of a reach that are searched at most. */
const MAX_SCOPES = 10_000;

/** Fields that recall and answer share. */
export const RECALL_FIELDS = [
  "scope",
  "view",
  "include",
  "budgets",
  "filters",
  "temporal",
  "citation_mode",
  "diagnostics",
  "exclude_content",
  "stream",
  "idempotency_key",
  "session",
  "profile",
];

/** What a recall brought up. */
export interface RecalledPack {
  /** Id under which an answer may name it. */
  readonly packId: string;
  /** What was found, best first. */
  readonly hits: readonly SearchHit[];
  /** The events, best first. */
  readonly events: readonly LogEvent[];
  /** The same, as the budget lets them be shown. */
  readonly shown: readonly LogEvent[];
  /** What the caller should know. */
  readonly warnings: readonly string[];
}

/** Recalls. */
export async function postRecall(call: WireCall): Promise<Response> {
  const began = call.now();
  const body = await readJsonBody(call.request);
  assertKnown(body, [...RECALL_FIELDS, "query"]);
  const query = requiredText(body, "query", MAX_QUERY_CHARACTERS);
  const recalled = await recall(call, body, query);
  const isContentExcluded = optionalSwitch(body, "exclude_content");
  const wants = optionalWord(body, "diagnostics", ["none", "summary", "full"]);
  return Response.json({
    pack_id: recalled.packId,
    layers: layersOf(recalled.shown, isContentExcluded),
    context_block: contextBlock(recalled.shown),
    provenance: {
      trail: [],
      citations: recalled.shown.map((event, index) => ({
        marker: `[${index + 1}]`,
        layer: "events",
        id: event.id,
      })),
    },
    ...(wants === undefined || wants === "none" ? {} : {
      diagnostics: {
        knapsack_evictions: recalled.events.length - recalled.shown.length,
        recall_ms: Math.round(call.now() - began),
      },
    }),
    warnings: recalled.warnings,
  });
}

/**
 * Searches as a body says, packs the best and keeps the pack. Of each text
 * there is as much as the budget can show, and at least as much as is asked.
 */
export async function recall(
  call: WireCall,
  body: JsonRecord,
  query: string,
  { textLimit = 0 }: LogShare = {},
): Promise<RecalledPack> {
  const scope = assertScopePath(
    requiredText(body, "scope", MAX_PATH_CHARACTERS),
  );
  const view = optionalText(body, "view", 40) ?? "holistic";
  const budgets = readBudgets(body);
  const { filter, warnings } = readFilter(body);
  if (optionalSwitch(body, "stream") === true) {
    throw notConfigured("Streaming is not offered here: leave out stream");
  }
  optionalWord(body, "citation_mode", ["none", "inline_with_markers"]);
  const include = optionalTexts(body, "include", { items: 5, length: 20 });
  const stranger = include.find((layer) => !LAYERS.includes(layer));
  if (stranger !== undefined) {
    throw invalid(`include holds some of ${LAYERS.join(", ")}`);
  }
  const share = optionalSwitch(body, "exclude_content") === true
    ? { textLimit: 0 }
    : shareOf(call.request);
  const isShort = textLimit === 0 && share.textLimit !== undefined;
  const isAsked = budgets.events > 0 &&
    (include.length === 0 || include.includes("events"));
  const { scopes, isCut } = await scopesOf(
    call.log,
    reachOfView(view, scope),
  );
  const found = isAsked
    ? await search(
      call.log,
      { scopes, filter, query, limit: budgets.events },
      {
        ...call,
        indexing: indexRoot(call.log, scope, {
          limitMs: INDEXING_MS,
          now: call.now,
        }),
      },
    )
    : undefined;
  const hits = found?.hits ?? [];
  const events = await call.log.read(hits.map(({ id }) => id), {
    textLimit: isShort
      ? share.textLimit
      : Math.max(textLimit, roomOf(budgets.tokens) + 1),
  });
  return {
    packId: call.packs.keep({ scopes: [scope], hits }),
    hits,
    events,
    shown: fit(events, budgets.tokens),
    warnings: [
      ...warnings,
      ...(found?.isWordless === true ? ["query_without_words"] : []),
      ...(isCut ? ["scopes_cut"] : []),
    ],
  };
}

/** The layers of a pack; those that take a model are empty. */
export function layersOf(
  events: readonly LogEvent[],
  isContentExcluded?: boolean,
): Readonly<Record<string, readonly unknown[]>> {
  const items = events.map((event) => toWireEvent(event, isContentExcluded));
  return Object.fromEntries(
    LAYERS.map((layer) => [layer, layer === "events" ? items : []]),
  );
}

/** The events as one text for a prompt, each behind its marker. */
export function contextBlock(events: readonly LogEvent[]): string {
  return events.map(({ content }, index) => {
    const role = typeof content.role === "string" ? `[${content.role}] ` : "";
    return `[${index + 1}] ${role}${textOf(content)}`;
  }).join("\n\n");
}

function readBudgets(
  body: JsonRecord,
): { readonly events: number; readonly tokens: number } {
  const budgets = optionalRecord(body, "budgets") ?? {};
  assertKnown(budgets, ["max_tokens", "per_layer_limits"], "budgets.");
  const limits = optionalRecord(budgets, "per_layer_limits") ?? {};
  assertKnown(limits, LAYERS, "budgets.per_layer_limits.");
  const events = optionalWhole(limits, "events", [0, 10_000]) ??
    STANDARD_EVENTS;
  return {
    events: Math.min(events, MAX_EVENTS),
    tokens: optionalWhole(budgets, "max_tokens", [1, 10_000_000]) ??
      STANDARD_TOKENS,
  };
}

/** The scopes of a reach. */
async function scopesOf(
  log: EventLog,
  { kind, scope }: LogReach,
): Promise<{ readonly scopes: readonly string[]; readonly isCut: boolean }> {
  if (kind === "exact") return { scopes: [scope], isCut: false };
  if (kind === "above") return { scopes: lineOf(scope), isCut: false };
  const below = await log.listScopes({
    prefix: scope,
    isStrictlyBelow: true,
    isAutoProvisioned: undefined,
    after: undefined,
    limit: MAX_SCOPES,
  });
  return {
    scopes: [scope, ...below.map(({ path }) => path)],
    isCut: below.length === MAX_SCOPES,
  };
}

/** What filters say of the events. */
export function readFilter(
  body: JsonRecord,
): { readonly filter: LogFilter; readonly warnings: readonly string[] } {
  const filters = optionalRecord(body, "filters") ?? {};
  assertKnown(filters, ["metadata"], "filters.");
  const metadata = optionalRecord(filters, "metadata") ?? {};
  assertKnown(metadata, ["labels", "observed_actor"], "filters.metadata.");
  const { as_of, ...others } = optionalRecord(body, "temporal") ?? {};
  const known = [
    "valid_during",
    "natural",
    "reference_date",
    "refers_during",
    "timezone",
  ];
  assertKnown(others, known, "temporal.");
  return {
    filter: {
      labels: optionalTexts(metadata, "labels", { items: 100, length: 256 }),
      actors: optionalTexts(metadata, "observed_actor", {
        items: 100,
        length: 256,
      }),
      modality: undefined,
      since: undefined,
      until: undefined,
      recordedBy: optionalTime({ as_of }, "as_of"),
    },
    // These only ever boost; without a model they say nothing.
    warnings: Object.keys(others).map((name) => `temporal_${name}_ignored`),
  };
}

/**
 * The events within the budget: long ones cut to the same length, so that none
 * takes the room of all others.
 */
function fit(events: readonly LogEvent[], tokens: number): readonly LogEvent[] {
  const room = roomOf(tokens);
  let shown = events;
  let most = longestOf(shown, room);
  while (most < MIN_EXCERPT && shown.length > 1) {
    shown = shown.slice(0, -1);
    most = longestOf(shown, room);
  }
  most = Math.max(most, MIN_EXCERPT);
  return shown.flatMap((event) => {
    const { content } = event;
    if (textOf(content).length <= most) return [event];
    const { text } = content;
    if (typeof text !== "string") return []; // Of no use in part.
    const excerpt = text.slice(0, most).toWellFormed();
    const cut = { ...content, text: excerpt, budget_excerpt: true };
    return [{ ...event, content: cut }];
  });
}

function roomOf(tokens: number): number {
  return tokens * CHARACTERS_PER_TOKEN;
}

/** How long an event may be, so that all together fit. */
function longestOf(events: readonly LogEvent[], room: number): number {
  const lengths = events.map(({ content }) => textOf(content).length)
    .sort((a, b) => a - b);
  let left = room;
  for (const [index, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}
