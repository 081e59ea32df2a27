/**
 * An event as the wire shows it, and the words that name a read's reach.
 *
 * @module
 */
import type { LogEvent, LogFold, LogReach, LogTally } from "./port.ts";
import { invalid } from "./wire_error.ts";

/** Views and the scopes each one reads. */
const VIEWS: Readonly<Record<string, LogReach["kind"]>> = {
  granular: "exact",
  local: "exact",
  raw: "exact",
  structured: "exact",
  holistic: "above",
  descend: "below",
};

/** The reach of a view. @throws {WireError} 422: there is no such view. */
export function reachOfView(view: string, scope: string): LogReach {
  const kind = Object.hasOwn(VIEWS, view) ? VIEWS[view] : undefined;
  if (kind !== undefined) return { kind, scope };
  throw invalid(`view must be one of ${Object.keys(VIEWS).join(", ")}`);
}

/** An event as an item of a listing or a layer. */
export function toWireEvent(
  event: LogEvent,
  isContentExcluded = false,
): Readonly<Record<string, unknown>> {
  return {
    id: event.id,
    scope: event.scope,
    modality: event.modality,
    ...(isContentExcluded ? {} : { content: event.content }),
    context: {
      ...event.context,
      labels: event.labels,
      observed_at: event.observedAt,
      recorded_at: event.recordedAt,
    },
    observed_actor: event.actor,
    wal_offset: event.offset,
    ...(event.textLength === undefined || isContentExcluded
      ? {}
      : { text_length: event.textLength }),
    ...(event.fold === undefined || isContentExcluded
      ? {}
      : { fold: toWireFold(event.fold) }),
    ...(event.turnIds === undefined ? {} : { turn_ids: event.turnIds }),
  };
}

/** A conversation that comes as one: what it has in all, and some of it. */
function toWireFold(fold: LogFold): Readonly<Record<string, unknown>> {
  return {
    ...toWireTally(fold),
    parts: fold.parts.map((part) => ({
      before: toWireTally(part.before),
      event: toWireEvent(part),
    })),
  };
}

function toWireTally({ events, textLength, roleLength }: LogTally) {
  return { events, text_length: textLength, role_length: roleLength };
}
