/**
 * How records and collections are named, and which names are refused.
 *
 * @module
 */
import { assertStorable } from "../pg/storable.ts";
import { StoreRefusalError } from "../errors.ts";
import {
  COLLECTION_NAME_REGEXP,
  MAX_COLLECTION_NAME_CHARACTERS,
  MAX_KEY_CHARACTERS,
  MAX_NAMESPACE_CHARACTERS,
  NAMESPACE_REGEXP,
} from "./limits.ts";

/** One of the two ways to name a record of a collection. */
export type RecordSelector =
  | { readonly key: string }
  | { readonly id: number };

/** Refuses a name that no namespace can have. @throws {StoreRefusalError} */
export function assertNamespace(name: string): void {
  if (
    name.length <= MAX_NAMESPACE_CHARACTERS && NAMESPACE_REGEXP.test(name)
  ) return;
  throw new StoreRefusalError(
    "bad_argument",
    `Namespace "${
      shorten(name)
    }" cannot exist: it has 1 to ${MAX_NAMESPACE_CHARACTERS} lowercase letters, digits, ., _ or -`,
  );
}

/** Refuses a name that no collection can have. @throws {StoreRefusalError} */
export function assertCollectionName(name: string): void {
  if (
    name.length <= MAX_COLLECTION_NAME_CHARACTERS &&
    COLLECTION_NAME_REGEXP.test(name)
  ) return;
  throw new StoreRefusalError(
    "bad_argument",
    `Collection "${
      shorten(name)
    }" cannot exist: a name starts with a lowercase letter, then has lowercase letters, digits, _ or -, at most ${MAX_COLLECTION_NAME_CHARACTERS} characters`,
  );
}

/** Refuses a blank, unstorable or overlong key. @throws {StoreRefusalError} */
export function assertKey(key: string, hint = ""): void {
  if (key.trim() === "") {
    throw new StoreRefusalError("bad_argument", `Key must not be blank${hint}`);
  }
  assertKeyText(key, "key");
}

/** Refuses a beginning that no key can have. @throws {StoreRefusalError} */
export function assertKeyPrefix(prefix: string): void {
  if (prefix === "") {
    throw new StoreRefusalError(
      "bad_argument",
      "The key_prefix must not be empty: leave it out for all records",
    );
  }
  assertKeyText(prefix, "key_prefix");
}

function assertKeyText(text: string, name: "key" | "key_prefix"): void {
  const characters = countCharacters(text);
  if (characters > MAX_KEY_CHARACTERS) {
    throw new StoreRefusalError(
      "bad_argument",
      `${
        name === "key" ? "Key" : name
      } is ${characters} characters; the limit is ${MAX_KEY_CHARACTERS}`,
      { characters, limit: MAX_KEY_CHARACTERS },
    );
  }
  assertStorable(text, `the ${name}`);
}

/** A selector as the statements take it. @throws {StoreRefusalError} Bad id. */
export function selectorParams(
  selector: RecordSelector,
): [string | null, number | null] {
  if ("key" in selector) {
    assertKey(selector.key);
    return [selector.key, null];
  }
  if (!Number.isSafeInteger(selector.id) || selector.id < 1) {
    throw new StoreRefusalError(
      "bad_argument",
      `Record ids are positive whole numbers; this is ${selector.id}`,
    );
  }
  return [null, selector.id];
}

/** A name for a message: at most 80 characters, a cut one says so. */
export function shorten(text: string): string {
  // Its beginning alone: what comes in may be megabytes.
  const begins = [...text.slice(0, 200).toWellFormed()];
  if (text.length <= 200 && begins.length <= 80) return begins.join("");
  return `${begins.slice(0, 80).join("")}… (80 of ${countCharacters(text)})`;
}

/** Code points, without a list of them. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}
