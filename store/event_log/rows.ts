/**
 * Rows of the event log as events, whole or cut.
 *
 * @module
 */
import type { LogEvent, LogObject } from "../../cortex/local/port.ts";
import type { Row } from "../pg/db.ts";
import { toWireId } from "./keys.ts";

/** What every read selects, beside the content. */
export const COLUMNS =
  "e.id, e.seq, e.scope, e.actor, e.modality, e.labels, e.context, e.observed_at, e.recorded_at";

/** What of an event is selected, and what has to be joined for it. */
export interface Selection {
  readonly columns: string;
  readonly join: string;
}

/** Cut to the characters of a parameter. */
export function beginnings(parameter: string): Selection {
  // A content is stored compressed: one function call unpacks it once.
  return {
    columns: `${COLUMNS}, char_length(c.text) as text_length,
      case when char_length(c.text) > ${parameter}::int then jsonb_set(
        e.content, '{text}', to_jsonb(left(c.text, ${parameter}::int)))
      else e.content end as content`,
    join: "cross join lateral jsonb_to_record(e.content) as c(text text)",
  };
}

/** A row of {@link COLUMNS} as an event. */
export function toEvent(row: Row): LogEvent {
  return {
    ...(typeof row.text_length === "number"
      ? { textLength: row.text_length }
      : {}),
    id: toWireId("evt", row.id),
    offset: Number(row.seq),
    scope: String(row.scope),
    actor: String(row.actor),
    modality: String(row.modality),
    // The columns' own checks and the writer hold these shapes.
    labels: row.labels as readonly string[],
    content: row.content as LogObject,
    context: row.context as LogObject,
    observedAt: toTime(row.observed_at),
    recordedAt: toTime(row.recorded_at),
  };
}

/** A timestamptz of the driver as RFC 3339. */
export function toTime(value: unknown): string {
  return (value instanceof Date ? value : new Date(String(value)))
    .toISOString();
}
