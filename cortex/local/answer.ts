/**
 * `POST /v1/answer`: an extractive answer. It quotes the recalled sentences that
 * share most words with the question and says that no model wrote it; what
 * takes a model (a named model) is refused.
 *
 * @module
 */
import type { WireCall } from "./call.ts";
import { textOf } from "./content.ts";
import { pause } from "../pause.ts";
import { notConfigured, WireError } from "./wire_error.ts";
import type { LogEvent } from "./port.ts";
import {
  assertKnown,
  optionalSwitch,
  optionalText,
  optionalWhole,
  requiredText,
} from "./fields.ts";
import { type JsonRecord, readJsonBody } from "./json_body.ts";
import { contextBlock, layersOf, recall, RECALL_FIELDS } from "./recall.ts";

/** What stands where a model's name would. */
const EXTRACTIVE = "extractive-no-model";
const NOTHING_FOUND = "Nothing recorded here matches the question.";
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
  "skip_answer_llm",
];
const MAX_QUOTES = 5;
const MAX_QUOTE_CHARACTERS = 500;
/** What of a text is looked through, and shown as context. */
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
    : await quotesFor(question, pack.events, tokens * 4);
  const cites = optionalSwitch(body, "cite_sources") !== false;
  return Response.json({
    pack_id: pack.packId,
    answer: isSkipped ? null : answerText(quotes, cites),
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
  readonly events: readonly LogEvent[];
  readonly shown: readonly LogEvent[];
  readonly warnings: readonly string[];
}

async function packOf(
  call: WireCall,
  body: JsonRecord,
  question: string,
): Promise<AnswerPack> {
  const packId = optionalText(body, "use_pack_id", 100);
  const share = { textLimit: MAX_READ_CHARACTERS };
  if (packId === undefined) return await recall(call, body, question, share);
  const pack = call.packs.find(packId);
  if (pack === undefined || pack.scope !== body.scope) {
    throw new WireError(
      404,
      "NOT_FOUND",
      "There is no such pack of this scope; recall again",
    );
  }
  const events = await call.log.read(pack.ids, share);
  return { packId, events, shown: events, warnings: [] };
}

interface Quote {
  readonly marker: string;
  readonly id: string;
  readonly text: string;
  readonly support: number;
}

/** The sentences that share most words with the question, in rank order. */
async function quotesFor(
  question: string,
  events: readonly LogEvent[],
  maxCharacters: number,
): Promise<readonly Quote[]> {
  const asked = new Set(wordsOf(question));
  const quotes: Quote[] = [];
  for (const [index, event] of events.entries()) {
    const { text, support } = await bestSentence(
      textOf(event.content),
      asked,
    );
    quotes.push({ marker: `[${index + 1}]`, id: event.id, text, support });
  }
  const best = quotes.filter(({ support }) => support > 0)
    .sort((a, b) => b.support - a.support) // Stable: rank breaks ties.
    .slice(0, MAX_QUOTES);
  let left = maxCharacters;
  return best.filter(({ text }, index) => {
    left -= text.length;
    return index === 0 || left >= 0;
  });
}

async function bestSentence(
  text: string,
  asked: ReadonlySet<string>,
): Promise<{ readonly text: string; readonly support: number }> {
  let best = { text: "", support: 0 };
  for (
    const sentence of text.slice(0, MAX_READ_CHARACTERS).split(
      /(?<=[.!?。！？])\s+|\n+/u,
    )
  ) {
    await pause();
    const words = new Set(wordsOf(sentence));
    const shared = [...asked].filter((word) => words.has(word)).length;
    const support = shared / asked.size;
    if (support > best.support) {
      best = { text: sentence.trim().slice(0, MAX_QUOTE_CHARACTERS), support };
    }
  }
  return best;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "")
    .match(/[\p{L}\p{N}]+/gu) ?? [];
}

function answerText(quotes: readonly Quote[], cites: boolean): string {
  if (quotes.length === 0) return NOTHING_FOUND;
  return quotes.map(({ marker, text }) =>
    cites ? `${text.toWellFormed()} ${marker}` : text.toWellFormed()
  ).join("\n");
}
