/**
 * What is refused before anything is sent, on either wire: requests that the
 * other side would read as something else than what was meant.
 *
 * @module
 */

import { CortexRefusalError } from "../errors.ts";
import type { Wire } from "../words.ts";
import type { EventDraft, EventQuery, ForgetRequest } from "./wire.ts";

/** The most events of one `appendAll`. */
export const MAX_APPENDED = 1_000;

/** The most ids of one `forget`. */
export const MAX_FORGOTTEN = 100;

/** The most labels of one listing. */
export const MAX_LISTED_LABELS = 50;

/** The most labels of one event. */
export const MAX_EVENT_LABELS = 64;

const KEY_REGEXP = /^[\x21-\x7e]{1,64}$/;

/** A blank key would be no key, and the write could not be told from a repeat. */
export function checkDrafts(drafts: readonly EventDraft[]): void {
  const operation = "append events";
  checkCount(operation, "events", drafts.length, MAX_APPENDED);
  for (const { idempotencyKey, labels } of drafts) {
    if (!KEY_REGEXP.test(idempotencyKey)) {
      throw refused(
        operation,
        "an idempotency key is 1 to 64 printable characters",
      );
    }
    if (labels.length > MAX_EVENT_LABELS) {
      throw refused(
        operation,
        `an event has at most ${MAX_EVENT_LABELS} labels`,
      );
    }
  }
}

/** Labels go in one list with commas between; an empty list lists everything. */
export function checkEventQuery({ labels, limit = 1 }: EventQuery): void {
  const operation = "list events";
  checkCount(operation, "events a page", limit, Infinity);
  if (labels === undefined) return;
  checkCount(operation, "labels", labels.length, MAX_LISTED_LABELS);
  if (labels.some((label) => label === "" || label.includes(","))) {
    throw refused(operation, "a label is not empty and holds no comma");
  }
}

/** An empty selector would mean the whole scope. */
export function checkForget({ eventIds }: ForgetRequest): void {
  const operation = "forget events";
  checkCount(operation, "event ids", eventIds.length, MAX_FORGOTTEN);
  if (eventIds.some((id) => id.trim() === "")) {
    throw refused(operation, "an event id is not blank");
  }
}

/** For what one wire has and the other has not. */
export function unsupported(operation: string, wire: Wire): CortexRefusalError {
  return new CortexRefusalError(
    `Cannot ${operation}: the ${wire} wire has no such request`,
    { reason: "unsupported" },
  );
}

function checkCount(
  operation: string,
  what: string,
  count: number,
  most: number,
): void {
  if (Number.isSafeInteger(count) && count >= 1 && count <= most) return;
  const range = most === Infinity ? "1 or more" : `1 to ${most}`;
  throw refused(operation, `${range} ${what} are needed, not ${count}`);
}

function refused(operation: string, why: string): CortexRefusalError {
  return new CortexRefusalError(`Cannot ${operation}: ${why}`, {
    reason: "invalid_request",
  });
}
