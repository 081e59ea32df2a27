/**
 * `POST /v1/answer`: an extractive answer. It quotes the recalled sentences that
 * cover the question best and says that no model wrote it; what takes a model (a
 * named model) is refused. Where nothing covers enough of the question there is
 * no answer.
 *
 * Specification: docs/spec/recall.md section 6.
 *
 * @module
 */
import { type AnalysedText, analyseText } from "./analyser/analyser.ts";
import { createRanker, type Fit, type RankedFacts } from "./analyser/rank.ts";
import type { WireCall } from "./call.ts";
import { pause } from "../pause.ts";
import { notConfigured, WireError } from "./wire_error.ts";
import type { EventLog, LogEvent } from "./port.ts";
import {
  assertKnown,
  optionalSwitch,
  optionalText,
  optionalTexts,
  optionalWhole,
  requiredText,
} from "./fields.ts";
import { type JsonRecord, readJsonBody } from "./json_body.ts";
import {
  contextBlock,
  layersOf,
  MAX_EVENTS,
  recall,
  RECALL_FIELDS,
} from "./recall.ts";
import { MAX_PATH_CHARACTERS } from "./scope_path.ts";
import { readQuestion, type SearchHit } from "./search/search.ts";

/** What stands where a model's name would. */
const EXTRACTIVE = "extractive-no-model";
const FIELDS = [
  ...RECALL_FIELDS,
  "question",
  "answer_model",
  "answer_max_tokens",
  "answer_instructions",
  "cite_sources",
  "include_context",
  "question_type",
  "question_date",
  "use_pack_id",
  "events",
  "skip_answer_llm",
];
/** An answer covers more than this share of its question. */
const HALF = 0.5;
const MAX_QUOTES = 3;
/** What a quote covers at least, in relation to the best one. */
const MIN_SHARE = 0.6;
const MAX_QUOTE_CHARACTERS = 500;
/** Passages that are looked through. */
const MAX_READ_PASSAGES = 20;
/** How much of each event is shown as context, in characters. */
const MAX_READ_CHARACTERS = 100_000;
const STANDARD_TOKENS = 1_500;

/** Answers from what is recalled. */
export async function postAnswer(call: WireCall): Promise<Response> {
  const began = call.now();
  const body = await readJsonBody(call.request);
  assertKnown(body, FIELDS);
  const question = requiredText(body, "question", 16_000);
  const model = optionalText(body, "answer_model", 100);
  if (model !== undefined && model !== EXTRACTIVE) {
    throw notConfigured(
      "There is no answer model here: leave out answer_model for quoted sentences, or recall and ask a model of your own",
    );
  }
  const pack = await packOf(call, body, question);
  const recalledAt = call.now();
  const isSkipped = optionalSwitch(body, "skip_answer_llm") === true;
  const tokens = optionalWhole(body, "answer_max_tokens", [1, 100_000]) ??
    STANDARD_TOKENS;
  const quotes = isSkipped
    ? []
    : await quotesFor(call.log, { question, pack, maxCharacters: tokens * 4 });
  const cites = optionalSwitch(body, "cite_sources") !== false;
  return Response.json({
    pack_id: pack.packId,
    answer: quotes.length === 0 ? null : answerText(quotes, cites),
    citations: cites
      ? quotes.map(({ marker, id, support }) => ({
        marker,
        layer: "events",
        id,
        support_strength: support,
      }))
      : [],
    provenance: { trail: [], citations: [] },
    diagnostics: {
      recall_ms: Math.round(recalledAt - began),
      llm_ms: 0,
      total_ms: Math.round(call.now() - began),
      answer_model: EXTRACTIVE,
      answer_tokens: 0,
    },
    warnings: [
      ...pack.warnings,
      "extractive_answer_no_model",
      ...(body.answer_instructions ? ["answer_instructions_ignored"] : []),
    ],
    ...(optionalSwitch(body, "include_context") === true
      ? {
        context_block: contextBlock(pack.shown),
        layers: layersOf(pack.shown),
      }
      : {}),
  });
}

interface AnswerPack {
  readonly packId: string;
  readonly scopes: readonly string[];
  readonly hits: readonly SearchHit[];
  readonly shown: readonly LogEvent[];
  readonly warnings: readonly string[];
}

async function packOf(
  call: WireCall,
  body: JsonRecord,
  question: string,
): Promise<AnswerPack> {
  const packId = optionalText(body, "use_pack_id", 100);
  const scope = optionalText(body, "scope", MAX_PATH_CHARACTERS) ?? "";
  if (packId === undefined) {
    return { scopes: [scope], ...await recall(call, body, question) };
  }
  const pack = call.packs.find(packId);
  if (pack === undefined || !pack.scopes.includes(scope)) {
    throw new WireError(
      404,
      "NOT_FOUND",
      "There is no such pack of this scope; recall again",
    );
  }
  const isShown = optionalSwitch(body, "include_context") === true;
  const meant = optionalTexts(body, "events", {
    items: MAX_EVENTS,
    length: 100,
  });
  const hits = body.events === undefined
    ? pack.hits
    : pack.hits.filter(({ id }) => meant.includes(id));
  const shown = isShown
    ? await call.log.read(hits.map(({ id }) => id), {
      textLimit: MAX_READ_CHARACTERS,
    })
    : [];
  const { scopes } = pack;
  return { packId, scopes, hits, shown, warnings: [] };
}

interface Quote {
  readonly marker: string;
  readonly id: string;
  readonly text: string;
  readonly support: number;
}

/** The sentences that cover most of the question, of the passages found. */
async function quotesFor(
  log: EventLog,
  { question, pack, maxCharacters }: {
    readonly question: string;
    readonly pack: AnswerPack;
    readonly maxCharacters: number;
  },
): Promise<readonly Quote[]> {
  const hits = pack.hits.slice(0, MAX_READ_PASSAGES);
  if (hits.length === 0) return [];
  const { query, statistics } = await readQuestion(log, pack.scopes, question);
  const texts = await log.excerpts(hits.map(({ id, from, characters }) => ({
    id,
    from: from ?? 0,
    characters,
  })));
  const rate = createRanker(query, statistics);
  const quotes: (Quote & { readonly coverage: number })[] = [];
  for (const [index, { id }] of hits.entries()) {
    const text = texts[index];
    if (text === undefined) continue;
    const best = await bestSentence(text, rate);
    // The passage may say in several sentences what none says alone.
    const { coverage } = rate(factsOf(analyseText(text)));
    const marker = `[${index + 1}]`;
    quotes.push({ marker, id, coverage, ...best });
  }
  const most = Math.max(0, ...quotes.map(({ coverage }) => coverage));
  if (most <= HALF) return [];
  const best = quotes
    .filter(({ support, coverage }) =>
      support > 0 && coverage >= most * MIN_SHARE
    )
    .sort((a, b) => b.coverage - a.coverage || b.support - a.support)
    .slice(0, MAX_QUOTES);
  let left = maxCharacters;
  return best.filter(({ text }, index) => {
    left -= text.length;
    return index === 0 || left >= 0;
  });
}

type Rate = (facts: RankedFacts) => Fit;

async function bestSentence(
  text: string,
  rate: Rate,
): Promise<{ readonly text: string; readonly support: number }> {
  let best = { text: "", support: 0 };
  for (const sentence of sentencesOf(text)) {
    await pause();
    const { score } = rate(factsOf(analyseText(sentence)));
    if (score <= best.support) continue;
    best = {
      text: sentence.trim().slice(0, MAX_QUOTE_CHARACTERS).toWellFormed(),
      support: score,
    };
  }
  return best;
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?。！？]["'”’」』）)]*)\s+|(?<=[。！？])|\n+/u)
    .filter((sentence) => sentence.trim() !== "");
}

function factsOf({ length, terms }: AnalysedText): RankedFacts {
  return {
    length,
    occurrences(term) {
      const positions = terms.get(term);
      return positions && { worth: positions.length, positions };
    },
  };
}

function answerText(quotes: readonly Quote[], cites: boolean): string {
  return quotes.map(({ marker, text }) => cites ? `${text} ${marker}` : text)
    .join("\n");
}
