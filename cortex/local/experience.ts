/**
 * `POST /v1/experience` and `/v1/experience/bulk`: storing events.
 *
 * An event is listed and found as soon as its write is answered, and on disk by
 * then, so every `wait` is met at once. A bulk is stored whole or not at all.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { pause } from "../pause.ts";
import { assertKnownQuery, type WireCall } from "./call.ts";
import { readContent } from "./content.ts";
import { indexEntryOf } from "./search/index_entry.ts";
import { invalid, WireError } from "./wire_error.ts";
import type { LogReceipt, NewLogEvent } from "./port.ts";
import {
  assertKnown,
  optionalRecord,
  optionalText,
  optionalTexts,
  optionalTime,
  optionalWord,
  requiredText,
} from "./fields.ts";
import { isRecord, type JsonRecord, readJsonBody } from "./json_body.ts";
import { assertScopePath, MAX_PATH_CHARACTERS } from "./scope_path.ts";

/** Most events of one bulk. */
const MAX_BULK_ITEMS = 1_000;
/** Most labels of an event, and characters of one. */
export const MAX_LABELS = { items: 64, length: 256 };
const MAX_KEY_CHARACTERS = 64;
const MAX_WORD_CHARACTERS = 64;

const WAITS = ["captured", "indexed", "consolidated"];
const FIELDS = [
  "scope",
  "modality",
  "content",
  "context",
  "observed_actor",
  "subject",
  "directives",
  "idempotency_key",
];
const CONTEXT_FIELDS = [
  "observed_at",
  "source_recorded_at",
  "location",
  "preceded_by",
  "intent",
  "labels",
];
const DIRECTIVE_FIELDS = [
  "extract",
  "consolidate_into",
  "confidence_floor",
  "ttl_for_belief_layer",
  "embed",
];

/** Stores one event. */
export async function postExperience(call: WireCall): Promise<Response> {
  const status = waitStatus(call);
  const event = await readEvent(await readJsonBody(call.request), call.actor);
  const [receipt] = await append(call, [event]);
  return Response.json({
    event_id: receipt?.id,
    status: "captured",
    replayed_from_idempotency: receipt?.isReplay,
    wal_offset: receipt?.offset,
  }, { status });
}

/** Stores up to a thousand events, in order. */
export async function postBulk(call: WireCall): Promise<Response> {
  const status = waitStatus(call);
  const body = await readJsonBody(call.request);
  assertKnown(body, ["scope", "items", "ordering"]);
  optionalWord(body, "ordering", ["strict_temporal", "batch_throughput"]);
  const { items } = body;
  if (
    !Array.isArray(items) || items.length === 0 || items.length > MAX_BULK_ITEMS
  ) throw invalid(`items must be a list of 1 to ${MAX_BULK_ITEMS} events`);
  const scope = optionalText(body, "scope", MAX_PATH_CHARACTERS);
  const events = await Promise.all(items.map((item, index) => {
    if (!isRecord(item)) throw invalid(`items[${index}] must be an object`);
    return readEvent(
      scope === undefined ? item : { scope, ...item },
      call.actor,
    )
      .catch((error) => {
        throw error instanceof WireError
          ? new WireError(
            error.status,
            error.code,
            `items[${index}]: ${error.message}`,
          )
          : error;
      });
  }));
  const receipts = await append(call, events);
  return Response.json({
    accepted: receipts.length,
    results: receipts.map((receipt, index) => ({
      index,
      event_id: receipt.id,
      replayed_from_idempotency: receipt.isReplay,
    })),
  }, { status });
}

async function append(
  { log }: WireCall,
  events: readonly NewLogEvent[],
): Promise<readonly LogReceipt[]> {
  const outcome = await log.append(events);
  if (outcome.ok) return outcome.receipts;
  const place = events.length > 1 ? `items[${outcome.conflictAt}]: ` : "";
  throw new WireError(
    409,
    "IDEMPOTENCY_CONFLICT",
    `${place}Idempotency key reused with a different body`,
  );
}

/** 202 as the wire has it, 200 when the caller asked to wait. */
function waitStatus({ query }: WireCall): number {
  assertKnownQuery(query, ["wait"]);
  const wait = query.get("wait");
  if (wait === null) return 202;
  if (WAITS.includes(wait)) return 200;
  throw invalid(`wait must be one of ${WAITS.join(", ")}`, "INVALID_QUERY");
}

async function readEvent(
  body: JsonRecord,
  caller: string,
): Promise<NewLogEvent> {
  await pause();
  assertKnown(body, FIELDS);
  const scope = assertScopePath(
    requiredText(body, "scope", MAX_PATH_CHARACTERS),
  );
  const content = readContent(optionalRecord(body, "content"));
  const context = optionalRecord(body, "context") ?? {};
  assertKnown(context, CONTEXT_FIELDS, "context.");
  optionalText(context, "intent", MAX_WORD_CHARACTERS);
  optionalTexts(context, "preceded_by", { items: 100, length: 100 });
  const directives = optionalRecord(body, "directives") ?? {};
  assertKnown(directives, DIRECTIVE_FIELDS, "directives.");
  const key = optionalText(body, "idempotency_key", MAX_KEY_CHARACTERS);
  if (key?.trim() === "") throw invalid("idempotency_key must not be blank");
  const { labels: _labels, observed_at: _time, ...rest } = context;
  const actor = readActor(body.observed_actor, "observed_actor") ?? caller;
  const labels = optionalTexts(context, "labels", MAX_LABELS);
  return {
    scope,
    actor,
    modality: requiredText(body, "modality", MAX_WORD_CHARACTERS),
    kind: content.kind,
    labels,
    content: content.value,
    context: { ...rest, ...subjectOf(body) },
    index: await indexEntryOf({ actor, labels, content: content.value }),
    observedAt: optionalTime(context, "observed_at"),
    idempotencyKey: key,
    bodyHash: digest(withoutKey(body)),
  };
}

function subjectOf(body: JsonRecord): JsonRecord {
  const subject = readActor(body.subject, "subject");
  return subject === undefined ? {} : { subject };
}

/** An actor as text or as `{id, type}`. */
function readActor(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") {
    return requiredText({ [name]: value }, name, 256);
  }
  if (!isRecord(value)) throw invalid(`${name} must be an actor`);
  assertKnown(value, ["id", "type"], `${name}.`);
  const id = requiredText(value, "id", 256);
  const type = optionalText(value, "type", MAX_WORD_CHARACTERS);
  return type === undefined || id.startsWith(`${type}:`) ? id : `${type}:${id}`;
}

function withoutKey({ idempotency_key: _, ...body }: JsonRecord): JsonRecord {
  return body;
}

/** SHA-256 of a JSON value, whatever the order of its keys. */
function digest(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_key, one) =>
      isRecord(one)
        ? Object.fromEntries(
          Object.entries(one).sort(([a], [b]) => a < b ? -1 : 1),
        )
        : one,
  );
  return createHash("sha256").update(text).digest("hex");
}
