/**
 * Answers in words, from recalled packs.
 *
 * A pack confines what an answer may use. Packs live for about a minute and
 * any forgetting drops them all: then they are built anew, a few times.
 *
 * @module
 */

import { CortexRefusalError, CortexUnavailableError } from "../../errors.ts";
import type { Scope } from "../../layout/layouts.ts";
import type { Answer, Pack } from "../../client/wire.ts";
import {
  type EngineContext,
  forEachScope,
  type OperationOptions,
  type ReadReport,
} from "../context.ts";
import {
  checkFilter,
  type Filter,
  matches,
  narrowingLabels,
  toScopeQuery,
} from "./filter.ts";
import { scopesToRead } from "./find_scopes.ts";
import type { ItemId } from "../item/item.ts";
import { findItemLabel } from "../item/lookup.ts";
import { metaAt } from "../item/rebuild.ts";
import { checkQuery, reachOf } from "./recall.ts";
import { findLabelled, NO_TEXT } from "./walk.ts";

/** What to answer. */
export interface AnswerRequest {
  /** The question. */
  readonly question: string;
  /** What the answer may rest on; its reach is the root node when left out. */
  readonly filter: Filter;
}

/** An answer. */
export interface Answered extends ReadReport {
  /** The words; undefined when nothing was found to answer from. */
  readonly text: string | undefined;
  /** What wrote them. */
  readonly model: string | undefined;
  /**
   * The items found for the question, each once; first those that the words
   * rest on, the best of them first.
   */
  readonly cited: readonly ItemId[];
}

const MAX_ROUNDS = 3;
const PACK_EVENTS = 20;

interface OwnPack {
  readonly scope: Scope;
  readonly pack: Pack;
  readonly ids: readonly ItemId[];
}

/** Answers from the scope that has most to say. */
export async function answerQuestion(
  context: EngineContext,
  { question, filter }: AnswerRequest,
  options: OperationOptions,
): Promise<Answered> {
  checkFilter(filter);
  checkQuery(question);
  const asked = toScopeQuery({ ...filter, reach: reachOf(filter) });
  const { scopes, isCut } = await scopesToRead(context, asked, options);
  const reading = { scopes: scopes.map(({ path }) => path), isCut };
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const packs = await forEachScope(
      scopes,
      (scope) => buildPack(context, scope, { question, filter }, options),
    );
    const best = mostAdmitted(packs);
    // Markers in the words count through the pack that they rest on.
    const cited = [
      ...new Set([best, ...packs].flatMap((pack) => pack?.ids ?? [])),
    ];
    if (best === undefined) {
      return { text: undefined, model: undefined, cited, ...reading };
    }
    const answer = await ask(context, best, question, options);
    if (answer === undefined) continue;
    return { text: answer.text, model: answer.model, cited, ...reading };
  }
  throw new CortexUnavailableError(
    `Not answered: what was recalled was gone again ${MAX_ROUNDS} times; ask again`,
    { attempts: MAX_ROUNDS },
  );
}

async function buildPack(
  context: EngineContext,
  scope: Scope,
  { question, filter }: AnswerRequest,
  options: OperationOptions,
): Promise<OwnPack> {
  const pack = await context.client.recall({
    scope: scope.path,
    query: question,
    maxEvents: PACK_EVENTS,
    ...NO_TEXT,
    labels: narrowingLabels(filter),
  }, options);
  const ids = await itemsOf(context, scope, { pack, filter }, options);
  // An answer rests on the whole pack: one with strangers in it is no source.
  return { scope, pack, ids: ids.every((id) => id !== undefined) ? ids : [] };
}

/**
 * For each event its item; undefined for one that is not ours or not meant. A
 * recalled text may be cut or marked, so the listing says what it is.
 */
async function itemsOf(
  context: EngineContext,
  scope: Scope,
  { pack, filter }: { readonly pack: Pack; readonly filter: Filter },
  options: OperationOptions,
): Promise<readonly (ItemId | undefined)[]> {
  const labels = pack.events.map((event) => findItemLabel(event.labels) ?? "");
  if (labels.includes("")) return [undefined];
  const found = await findLabelled(
    context,
    scope,
    [...new Set(labels)],
    { ...options, ...NO_TEXT },
  );
  const admitted = new Map(
    [...found.values()].flat()
      .filter(({ envelope }) => matches(filter, metaAt(scope, envelope)))
      .map(({ eventId, envelope }) => [eventId, envelope.id] as const),
  );
  return pack.events.map((event) => admitted.get(event.id));
}

function mostAdmitted(packs: readonly OwnPack[]): OwnPack | undefined {
  return packs
    .filter(({ ids }) => ids.length > 0)
    // The node furthest down first: of equals it is the most specific.
    .sort((a, b) =>
      b.ids.length - a.ids.length || depth(b.scope) - depth(a.scope)
    )[0];
}

function depth({ path }: Scope): number {
  return path.split("/").length;
}

/** The answer; undefined when the pack is gone. */
async function ask(
  { client }: EngineContext,
  { scope, pack }: OwnPack,
  question: string,
  options: OperationOptions,
): Promise<Answer | undefined> {
  try {
    const { packId } = pack;
    const query = { scope: scope.path, packId, question };
    return await client.answer(query, options);
  } catch (error) {
    const isGone = error instanceof CortexRefusalError &&
      (error.reason === "not_found" || error.errorCode === "MISSING_PACK");
    if (!isGone) throw error;
    return undefined;
  }
}
