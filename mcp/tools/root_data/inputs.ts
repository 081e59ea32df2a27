/**
 * Arguments that root data tools and REST routes share.
 *
 * @module
 */
import {
  MAX_KEY_CHARACTERS,
  type RecordSelector,
} from "../../../store/root_data/mod.ts";
import { ToolError } from "../../errors.ts";

/** Schema of `collection`. */
export const COLLECTION_INPUT = {
  type: "string",
  description: "Name of the collection, as list_root_collections shows it",
} as const;

/** Schema of `key`. */
export const KEY_INPUT = {
  type: "string",
  maxLength: MAX_KEY_CHARACTERS,
  description: "The record's key, unique in its collection",
} as const;

/** Schema of `id`. */
export const ID_INPUT = {
  type: "integer",
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "The record's id, as the other tools return it",
} as const;

/** Schema of `if_updated_at`. */
export const IF_UPDATED_AT_INPUT = {
  type: "string",
  description:
    "Only if the record's updated_at is still this, as you read it; otherwise refused with the one it has now",
} as const;

/** Schema of `if_absent`. */
export const IF_ABSENT_INPUT = {
  type: "boolean",
  description: "true: only if there is no record at the key yet",
} as const;

/** Schema of `data`. */
export const DATA_INPUT = {
  type: "object",
  description:
    "The JSON object to store: at most 32 KB as compact JSON, and it must match the collection's schema where there is one",
} as const;

/** Reads exactly one of key and id. @throws {ToolError} Both or neither. */
export function selectorOf(
  { key, id }: {
    readonly key?: string | undefined;
    readonly id?: number | undefined;
  },
): RecordSelector {
  if (key !== undefined && id !== undefined) {
    throw new ToolError("Pass key or id, not both: each names a record alone");
  }
  if (key !== undefined) return { key };
  if (id !== undefined) return { id };
  throw new ToolError(
    "Pass key or id: neither was given, so no record is named",
  );
}
