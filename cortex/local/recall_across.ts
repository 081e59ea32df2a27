/**
 * `POST /v1/recall/across`: the events of many scopes that fit a query best, in
 * one order, with how well each fits and by which passage.
 *
 * Specification: docs/spec/recall.md section 4.
 *
 * @module
 */
import { MAX_SCOPES_ACROSS } from "../client/recall_across.ts";
import { stemsOf } from "./analyser/languages.ts";
import { tokensOf } from "./analyser/tokens.ts";
import { shareOf, type WireCall } from "./call.ts";
import { assertKnown, optionalWhole, requiredText } from "./fields.ts";
import { readJsonBody } from "./json_body.ts";
import { MAX_EVENTS, MAX_QUERY_CHARACTERS, readFilter } from "./recall.ts";
import { assertScopePath } from "./scope_path.ts";
import { INDEXING_MS, indexRoot } from "./search/indexer.ts";
import { type Repair, search, type SearchHit } from "./search/search.ts";
import { invalid } from "./wire_error.ts";
import { toWireEvent } from "./wire_event.ts";

/** Recalls. */
export async function postRecallAcross(call: WireCall): Promise<Response> {
  const body = await readJsonBody(call.request);
  assertKnown(body, ["scopes", "query", "limit", "filters", "temporal"]);
  const scopes = readScopes(body.scopes);
  const query = requiredText(body, "query", MAX_QUERY_CHARACTERS);
  const limit = optionalWhole(body, "limit", [1, MAX_EVENTS]) ?? 20;
  const { filter, warnings } = readFilter(body);
  const [first = ""] = scopes;
  const indexing = indexRoot(call.log, first, {
    limitMs: INDEXING_MS,
    now: call.now,
  });
  const found = await search(
    call.log,
    { scopes, query, filter, limit },
    { ...call, indexing },
  );
  const [events, passages] = await Promise.all([
    call.log.read(found.hits.map(({ id }) => id), shareOf(call.request)),
    passagesOf(call, found.hits),
  ]);
  const byId = new Map(events.map((event) => [event.id, event]));
  return Response.json({
    pack_id: call.packs.keep({ scopes, hits: found.hits }),
    items: found.hits.flatMap((hit, index) => {
      const event = byId.get(hit.id);
      const passage = passages[index];
      if (event === undefined) return []; // Deleted meanwhile.
      return [{
        event: toWireEvent(event),
        score: round(hit.score),
        coverage: round(hit.coverage),
        words: hit.words,
        likeness: round(hit.likeness),
        ...(passage === undefined
          ? {}
          : { passage: { from: hit.from, text: passage } }),
      }];
    }),
    has_more: found.hasMore,
    repaired: found.repairs.map((one) => ({
      word: one.word,
      instead: spelt(one, passages),
    })),
    unindexed: found.unindexed,
    warnings: [
      ...warnings,
      ...(found.isWordless ? ["query_without_words"] : []),
    ],
  });
}

function readScopes(value: unknown): readonly string[] {
  if (
    !Array.isArray(value) || value.length === 0 ||
    value.length > MAX_SCOPES_ACROSS
  ) {
    throw invalid(`scopes must be a list of 1 to ${MAX_SCOPES_ACROSS} paths`);
  }
  const scopes = [
    ...new Set(value.map((one: unknown) => {
      if (typeof one !== "string") throw invalid("scopes must hold texts");
      return assertScopePath(one);
    })),
  ];
  const roots = new Set(scopes.map((one) => one.split("/")[0]));
  if (roots.size > 1) {
    throw invalid("scopes must all begin with the same segment");
  }
  return scopes;
}

/** The texts of the passages; none where what is around a text fits. */
async function passagesOf(
  { log }: WireCall,
  hits: readonly SearchHit[],
): Promise<readonly (string | undefined)[]> {
  const places = hits.flatMap(({ id, from, characters }, index) =>
    from === undefined ? [] : [{ index, id, from, characters }]
  );
  const texts = await log.excerpts(places);
  const found = new Map(
    places.map(({ index }, place) => [index, texts[place]]),
  );
  return hits.map((_, index) => found.get(index));
}

/** Terms as words of the texts: a term is a stem, and no word of anybody's. */
function spelt(
  { terms }: Repair,
  passages: readonly (string | undefined)[],
): readonly string[] {
  const left = new Set(terms);
  const words: string[] = [];
  for (const passage of passages) {
    if (left.size === 0) break;
    for (const { word } of passage === undefined ? [] : tokensOf(passage)) {
      const term = stemsOf(word, "en").find((one) => left.has(one));
      if (term === undefined) continue;
      left.delete(term);
      words.push(word);
    }
  }
  return [...words, ...left];
}

function round(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}
