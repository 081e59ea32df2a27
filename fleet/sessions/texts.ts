/**
 * Limits of what callers write on sessions, each checked before anything is
 * changed.
 *
 * @module
 */
import { assertStorable } from "../../store/pg/mod.ts";
import { FleetRefusalError } from "../errors.ts";

/** Characters at most. */
export const LIMITS = {
  prompt: 500_000,
  goal: 50_000,
  notes: 50_000,
  title: 100,
  idempotencyKey: 255,
} as const;

const SLUG_REGEXP = /^[a-z0-9-]{1,100}$/;
const MAX_CUSTOM_METADATA_BYTES = 32 * 1024;

/** A refusal of an argument. */
export function badArgument(message: string): FleetRefusalError {
  return new FleetRefusalError("bad_argument", message);
}

/** Refuses a text that is blank, too long or cannot be stored. */
export function assertText(
  text: string,
  what: string,
  limit: number,
): void {
  if (text.trim() === "") throw badArgument(`${what} is blank`);
  assertLength(text, what, limit);
}

/** Refuses a text that is too long or cannot be stored. */
export function assertLength(text: string, what: string, limit: number): void {
  // As PostgreSQL counts: no text has more characters than code units.
  const characters = text.length > limit ? [...text].length : text.length;
  if (characters > limit) {
    throw badArgument(
      `${what} has ${limit.toLocaleString("en")} characters at most; this has ${
        characters.toLocaleString("en")
      }. Nothing was changed`,
    );
  }
  assertStorable(text, what);
}

/** Refuses a title. */
export function assertTitle(title: string | undefined): void {
  if (title === undefined) return;
  assertStorable(title, "the title");
  const characters = [...title.trim()].length;
  if (characters >= 1 && characters <= LIMITS.title) return;
  throw badArgument(
    `A title has 1 to ${LIMITS.title} characters; this has ${characters}`,
  );
}

/** Refuses a slug. */
export function assertSlug(slug: string | undefined): void {
  if (slug === undefined) return;
  // A slug of digits only would be taken for a session's number.
  if (SLUG_REGEXP.test(slug) && !/^[0-9]+$/.test(slug)) return;
  throw badArgument(
    "A slug has 1 to 100 lowercase letters, digits or -, and not only digits",
  );
}

/** Refuses the caller's own data. */
export function assertCustomMetadata(
  data: Readonly<Record<string, unknown>> | undefined,
): void {
  if (data === undefined) return;
  // Bytes first: the walk below costs as much as there is.
  const bytes = new TextEncoder().encode(JSON.stringify(data)).length;
  if (bytes <= MAX_CUSTOM_METADATA_BYTES) {
    assertStorable(data, "custom_metadata");
    return;
  }
  throw new FleetRefusalError(
    "data_too_large",
    `A session's custom_metadata is JSON of 32 KB at most; this has ${bytes} bytes, and the limit is ${MAX_CUSTOM_METADATA_BYTES}`,
  );
}

/** Refuses a whole number that is out of its range. */
export function assertRange(
  value: number,
  what: string,
  [least, most]: readonly [number, number],
): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw badArgument(
    `${what} is a whole number from ${least.toLocaleString("en")} to ${
      most.toLocaleString("en")
    }; this is ${value}`,
  );
}
