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
import { isItemId, ITEM_KINDS, type ItemId } from "./item.ts";
import { type KnownMeta, readMeta, writeMeta } from "./envelope_meta.ts";
import { MAX_EVENT_LABELS } from "../../client/request_checks.ts";
import { type Kind, KINDS } from "../../words.ts";

/** Which part of its item an event is. */
export interface Part {
  /** From 0. */
  readonly index: number;
  /** How many parts there are. */
  readonly count: number;
}

/**
 * What an event says of its item. Beside what every event says, it has the
 * facts that the item's kind put there, and nothing has been checked of those.
 */
export interface Envelope extends Json {
  /** The item. */
  readonly id: ItemId;
  /** What the item is. */
  readonly kind: Kind;
  /** What is known beside its content. */
  readonly meta: KnownMeta;
  /** Which turn or piece the event is. */
  readonly part: Part;
}

/** An envelope and the text it came with. */
export interface Opened {
  /** The envelope. */
  readonly envelope: Envelope;
  /** The text of the turn, piece or statement. */
  readonly text: string;
  /** Whether the event's text was JSON with the envelope in it. */
  readonly isInText: boolean;
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
const SLICE = MAX_LABEL_BYTES - "tm:e:00:".length;

/** Puts an envelope on an event. */
export function pack(
  envelope: Envelope,
  text: string,
  lookup: readonly string[],
): Packed {
  const json = toAscii(JSON.stringify(toJson(envelope)));
  const count = Math.ceil(json.length / SLICE);
  if (count + lookup.length > MAX_EVENT_LABELS) {
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
  return text === undefined ? undefined : { envelope, text, isInText };
}

/** Whether only an event's whole text can tell what it is. */
export function needsWholeText(
  event: {
    readonly text: string | undefined;
    readonly labels: readonly string[];
  },
): boolean {
  return event.text?.startsWith("{") === true &&
    !event.labels.some((label) => PREFIX_REGEXP.test(label));
}

function toJson({ id, kind, meta, part, ...facts }: Envelope): Json {
  return {
    v: VERSION,
    id,
    kind,
    meta: writeMeta(meta),
    part: [part.index, part.count],
    ...facts,
  };
}

function fromJson(json: Json): Envelope | undefined {
  const { v, id, kind, part, meta: known, text: _text, ...facts } = json;
  const meta = readMeta(known);
  if (
    v !== VERSION || typeof id !== "string" || !isItemId(id) ||
    meta === undefined || !Array.isArray(part)
  ) return undefined;
  const itemKind = KINDS.find((one) => one === kind);
  const index = whole(part[0]);
  const count = whole(part[1]);
  if (
    itemKind === undefined || index === undefined || count === undefined ||
    index >= count || count > ITEM_KINDS[itemKind].maxParts
  ) return undefined;
  return { ...facts, id, kind: itemKind, meta, part: { index, count } };
}

function parse(text: string): Json | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return record(JSON.parse(text));
  } catch {
    return undefined;
  }
}
