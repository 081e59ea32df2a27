/**
 * Envelopes: how an item's facts ride on its events.
 *
 * The text is the event's own; all else is JSON in labels of at most 240 bytes.
 * What does not fit into the labels goes into the text, which then is JSON as a
 * whole. Anything else is somebody else's event.
 *
 * Specification: docs/spec/cortex_engine.md section 6.
 *
 * @module
 */

import { type Json, record, text as asText, toAscii, whole } from "./json.ts";
import { isItemId, type ItemId, type ToolCall } from "./item.ts";
import {
  type KnownMeta,
  readMeta,
  readTime,
  writeMeta,
} from "./envelope_meta.ts";
import { type Kind, KINDS } from "../../layout/scope.ts";

/** Which part of its item an event is. */
export interface Part {
  /** From 0. */
  readonly index: number;
  /** How many parts there are. */
  readonly count: number;
}

/** What an event says of its item. */
export interface Envelope {
  /** The item. */
  readonly id: ItemId;
  /** What the item is. */
  readonly kind: Kind;
  /** What is known beside its content. */
  readonly meta: KnownMeta;
  /** Which turn or piece the event is. */
  readonly part: Part;
  /** A document's heading. */
  readonly title?: string | undefined;
  /** A document's media type. */
  readonly mime?: string | undefined;
  /** What a learning is. */
  readonly learningKind?: string | undefined;
  /** How sure a learning is. */
  readonly confidence?: number | undefined;
  /** What a learning rests on. */
  readonly evidence?: string | undefined;
  /** Who speaks in a turn. */
  readonly role?: string | undefined;
  /** When a turn was spoken. */
  readonly at?: string | undefined;
  /** Tools called in a turn. */
  readonly toolCalls?: readonly ToolCall[] | undefined;
}

/** An envelope and the text it came with. */
export interface Opened {
  /** The envelope. */
  readonly envelope: Envelope;
  /** The text of the turn, piece or statement. */
  readonly text: string;
}

/** How an event carries an envelope. */
export interface Packed {
  /** The event's text. */
  readonly text: string;
  /** Its labels. */
  readonly labels: readonly string[];
}

const VERSION = 1;
const PREFIX_REGEXP = /^tm:e:(\d\d):/;
const MAX_LABEL_BYTES = 240;
const MAX_LABELS = 64;
const SLICE = MAX_LABEL_BYTES - "tm:e:00:".length;

/** More than any item has; what claims more is not ours. */
const MAX_PARTS: Readonly<Record<Kind, number>> = {
  document: 10_000,
  conversation: 1_000,
  learning: 1,
};

/** Puts an envelope on an event. */
export function pack(
  envelope: Envelope,
  text: string,
  lookup: readonly string[],
): Packed {
  const json = toAscii(JSON.stringify(toJson(envelope)));
  const count = Math.ceil(json.length / SLICE);
  if (count + lookup.length > MAX_LABELS) {
    const whole = JSON.stringify({ ...toJson(envelope), text });
    return { text: whole, labels: lookup };
  }
  const labels = Array.from({ length: count }, (_, index) => {
    const number = String(index).padStart(2, "0");
    return `tm:e:${number}:${json.slice(index * SLICE, (index + 1) * SLICE)}`;
  });
  return { text, labels: [...lookup, ...labels] };
}

/** Reads an event's envelope; undefined when the event is somebody else's. */
export function open(
  event: {
    readonly text: string | undefined;
    readonly labels: readonly string[];
  },
): Opened | undefined {
  // A removed event may still be listed, with nothing in it.
  if (event.text === undefined || event.text === "") return undefined;
  const slices = event.labels.flatMap((label) => {
    const match = PREFIX_REGEXP.exec(label);
    return match === null
      ? []
      : [{ at: Number(match[1]), slice: label.slice(match[0].length) }];
  }).sort((a, b) => a.at - b.at);
  if (slices.some(({ at }, index) => at !== index)) return undefined;
  const isInText = slices.length === 0;
  const json = parse(
    isInText ? event.text : slices.map(({ slice }) => slice).join(""),
  );
  const envelope = json === undefined ? undefined : fromJson(json);
  if (json === undefined || envelope === undefined) return undefined;
  const text = isInText ? asText(json.text) : event.text;
  return text === undefined ? undefined : { envelope, text };
}

function toJson(envelope: Envelope): Json {
  const { id, kind, meta, part, toolCalls, ...facts } = envelope;
  return {
    v: VERSION,
    id,
    kind,
    meta: writeMeta(meta),
    part: [part.index, part.count],
    title: facts.title,
    mime: facts.mime,
    learning_kind: facts.learningKind,
    confidence: facts.confidence,
    evidence: facts.evidence,
    role: facts.role,
    at: facts.at,
    tool_calls: toolCalls,
  };
}

function fromJson(json: Json): Envelope | undefined {
  const { id, kind, part } = json;
  const meta = readMeta(json.meta);
  if (
    json.v !== VERSION || typeof id !== "string" || !isItemId(id) ||
    meta === undefined || !Array.isArray(part)
  ) return undefined;
  const known = KINDS.find((one) => one === kind);
  const index = whole(part[0]);
  const count = whole(part[1]);
  if (
    known === undefined || index === undefined || count === undefined ||
    index >= count || count > MAX_PARTS[known]
  ) return undefined;
  return {
    id,
    kind: known,
    meta,
    part: { index, count },
    title: asText(json.title),
    mime: asText(json.mime),
    learningKind: asText(json.learning_kind),
    confidence: readConfidence(json.confidence),
    evidence: asText(json.evidence),
    role: asText(json.role),
    at: readTime(json.at),
    toolCalls: readToolCalls(json.tool_calls),
  };
}

function readConfidence(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= 1
    ? value
    : undefined;
}

function readToolCalls(value: unknown): readonly ToolCall[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((one) => {
    const name = asText(record(one)?.name);
    return name === undefined ? [] : [{ name, id: asText(record(one)?.id) }];
  });
}

function parse(text: string): Json | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return record(JSON.parse(text));
  } catch {
    return undefined;
  }
}
