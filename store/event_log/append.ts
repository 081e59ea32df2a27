/**
 * Storing events, each with what the index holds of it.
 *
 * One statement stores all of them or none. The passages of long texts are
 * megabytes: those follow event by event, and until they are there the event
 * waits to be indexed, whatever happens between.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type {
  AppendOutcome,
  LogPassage,
  LogReceipt,
  NewLogEvent,
} from "../../cortex/local/port.ts";
import type { Db, Row } from "../pg/db.ts";
import { indexEvents } from "./indexing.ts";
import { type LongRow, toJsonRows } from "./json_rows.ts";
import { rootOf, toWireId } from "./keys.ts";
import { toIndexItem } from "./passages.ts";
import { COUNTED_PASSAGES, countTermsOf } from "./term_counts.ts";

/** How long a key makes the same write a replay, in hours. */
export const KEY_LIFETIME_HOURS = 24;
/** Passages that one statement stores before long events are left for later. */
const STATEMENT_PASSAGES = 50;
/** Passages of an event that is long. */
const LONG_PASSAGES = 10;
/** Digits of a digest that stand for a scope, and for a label. */
const SCOPE_DIGITS = 8;
const LABEL_DIGITS = 16;

/** Stores all of the events, in order, or none. */
export async function appendEvents(
  db: Db,
  events: readonly NewLogEvent[],
): Promise<AppendOutcome> {
  const later = longOnes(events);
  const rows = await db.write<Row>(
    "select * from cortex_append($1::text::jsonb, $2)",
    [
      await toJsonRows(
        events,
        (event, item) => toItem(event, item, { isLater: later.has(event) }),
      ),
      KEY_LIFETIME_HOURS,
    ],
  );
  const conflict = rows.find((row) => row.outcome === "conflict");
  if (conflict !== undefined) {
    return { ok: false, conflictAt: Number(conflict.item) };
  }
  const receipts = rows.map(toReceipt);
  for (const [item, event] of events.entries()) {
    const receipt = receipts[item];
    if (!later.has(event) || receipt?.isReplay !== false) continue;
    const { scope, index: entry } = event;
    const { offset } = receipt;
    await indexEvents(db, [{ event: { scope, offset }, entry }]);
  }
  await countBehind(db, events, receipts);
  return { ok: true, receipts };
}

/** What is not counted here is counted later: the events are stored. */
async function countBehind(
  db: Db,
  events: readonly NewLogEvent[],
  receipts: readonly LogReceipt[],
): Promise<void> {
  const due = receipts.findIndex(({ isReplay, offset }) =>
    !isReplay && offset % COUNTED_PASSAGES === 0
  );
  const scope = events[due]?.scope;
  if (scope === undefined) return;
  await countTermsOf(db, rootOf(scope)).catch(() => {});
}

/** Long events that one statement has no room for. */
function longOnes(events: readonly NewLogEvent[]): ReadonlySet<NewLogEvent> {
  let passages = 0;
  return new Set(events.filter(({ index }) => {
    passages += index.passages.length;
    return passages > STATEMENT_PASSAGES &&
      index.passages.length >= LONG_PASSAGES;
  }));
}

function toItem(
  event: NewLogEvent,
  item: number,
  { isLater }: { readonly isLater: boolean },
): LongRow<LogPassage> {
  const root = rootOf(event.scope);
  const row = {
    item,
    id: crypto.randomUUID(),
    root,
    scope: event.scope,
    actor: event.actor,
    modality: event.modality,
    kind: event.kind,
    labels: event.labels,
    terms: labelTermsOf(event),
    content: event.content,
    context: event.context,
    observed_at: event.observedAt,
    key: event.idempotencyKey,
    body_hash: event.bodyHash,
  };
  return isLater ? { row } : toIndexItem(root, event.index, { more: row });
}

/** Lexemes that a listing finds an event's labels by, as `cortex_terms` has them. */
function labelTermsOf({ scope, labels }: NewLogEvent): string {
  const mark = digestOf(scope, SCOPE_DIGITS);
  return labels.map((label) => `${mark}l${digestOf(label, LABEL_DIGITS)}`)
    .join(" ");
}

function digestOf(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}

function toReceipt(row: Row): LogReceipt {
  return {
    id: toWireId("evt", row.event_id),
    offset: Number(row.seq ?? 0),
    isReplay: row.outcome === "replayed",
  };
}
