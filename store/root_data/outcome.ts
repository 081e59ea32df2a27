/**
 * What a write function of the database answers, and the refusals it leads to.
 *
 * @module
 */
import type { Row } from "../pg/db.ts";
import { StoreRefusalError, StoreUnavailableError } from "../errors.ts";
import {
  MAX_COLLECTIONS_PER_NAMESPACE,
  MAX_RECORDS_PER_COLLECTION,
  MAX_WRITES_PER_WINDOW,
} from "./limits.ts";
import { type RecordSelector, shorten } from "./names.ts";
import type { CollectionAddress } from "./records.ts";

/** What a write function of the database answers. */
export interface OutcomeRow extends Row {
  readonly outcome: string;
  readonly records_count: number;
  readonly window_writes: number;
  readonly retry_after_seconds: number;
  readonly updated_at: Date | null;
  /** Of a full collection: when one of its records goes, if any will. */
  readonly expires_at: Date | null;
  readonly holding: string[] | null;
}

/** Turns a refused outcome into its refusal. @throws {StoreRefusalError} */
export function accepted(
  row: OutcomeRow | undefined,
  address: CollectionAddress & { readonly sessionId?: number | undefined },
  missed: Missed = {},
): OutcomeRow {
  const { collection } = address;
  if (row === undefined) {
    throw new StoreUnavailableError(
      "failed",
      "The database answered a write with nothing",
    );
  }
  switch (row.outcome) {
    case "rate_limited":
      throw new StoreRefusalError(
        "rate_limited",
        `The ${MAX_WRITES_PER_WINDOW} writes a minute to "${collection}" are used up; the next window opens in ${row.retry_after_seconds} seconds`,
        {
          limit: MAX_WRITES_PER_WINDOW,
          retry_after_seconds: row.retry_after_seconds,
        },
      );
    case "row_cap":
      throw new StoreRefusalError(
        "row_cap",
        `Collection "${collection}" holds ${row.records_count} records, and ${MAX_RECORDS_PER_COLLECTION} is the most it may; delete some${
          row.expires_at ? " or let retention remove them" : ""
        }. Replacing an existing key still works`,
        { records: row.records_count, limit: MAX_RECORDS_PER_COLLECTION },
      );
    case "collection_cap": {
      const holding = row.holding ?? [];
      throw new StoreRefusalError(
        "collection_cap",
        `The namespace already has ${holding.length} collections that hold records, and ${MAX_COLLECTIONS_PER_NAMESPACE} is the most it may: ${
          holding.join(", ")
        }. Empty one of them first`,
        { limit: MAX_COLLECTIONS_PER_NAMESPACE, holding },
      );
    }
    case "conflict":
      throw conflict(address, row, missed.twinId);
    case "session_gone":
      throw sessionGone(address.sessionId);
    case "not_found":
      throw notFound(address, row.records_count, missed);
    default:
      return row;
  }
}

/** A record that is not there. */
export interface Missed {
  /** How it was named; undefined for one that is put or appended. */
  readonly selector?: RecordSelector | undefined;
  /** One whose key looks the same and is written with other code points. */
  readonly twinId?: number | undefined;
}

/** The refusal of a record that is not there. */
export function notFound(
  { collection }: CollectionAddress,
  stored: number,
  { selector, twinId }: Missed,
): StoreRefusalError {
  const what = selector === undefined
    ? "such record"
    : "key" in selector
    ? `record with key "${shorten(selector.key)}"`
    : `record with id ${selector.id}`;
  const rest = stored === 0
    ? "the collection holds no records"
    : `the collection holds ${stored} record${stored === 1 ? "" : "s"}`;
  return new StoreRefusalError(
    "not_found",
    `Collection "${collection}" has no ${what}; ${rest}${
      twinId === undefined ? "" : `. ${twinNote(twinId)}: pass id ${twinId}`
    }`,
    { records: stored },
  );
}

function twinNote(id: number): string {
  return `Record ${id} has a key that looks the same and is written with other code points (Unicode NFC or NFD)`;
}

/** The refusal of a session that was deleted since it was looked up. */
export function sessionGone(sessionId: number | undefined): StoreRefusalError {
  return new StoreRefusalError(
    "not_found",
    `Session ${sessionId} no longer exists; nothing was read or written`,
  );
}

/** The record is not in the version that the caller named. */
function conflict(
  { collection }: CollectionAddress,
  { updated_at: updatedAt }: OutcomeRow,
  twinId: number | undefined,
): StoreRefusalError {
  const now = updatedAt?.toISOString() ?? null;
  return new StoreRefusalError(
    "conflict",
    now === null
      ? `There is no such record in "${collection}" now, so if_updated_at matches nothing; nothing was changed. ${
        twinId === undefined
          ? "Put with if_absent: true to create it"
          : `${twinNote(twinId)}: read that by its id, and put with its key`
      }`
      : `The record in "${collection}" is another than expected: its updated_at is ${now}; nothing was changed. Read it again, decide anew, and pass if_updated_at: "${now}"`,
    { updated_at: now },
  );
}
