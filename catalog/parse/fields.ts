/**
 * Fields of one catalog entry, read by type. A field of another type is left
 * out and reported; absent stays absent and an empty list stays an empty list.
 *
 * @module
 */

import { type IgnoredList, type Place, within } from "./ignored.ts";
import { describeValue, isAbsent, type JsonObject } from "./json.ts";

/** Reads typed fields of one entry. */
export class FieldReader {
  readonly #entry: JsonObject;
  readonly #place: Place;
  readonly #ignored: IgnoredList;

  constructor(entry: JsonObject, place: Place, ignored: IgnoredList) {
    this.#entry = entry;
    this.#place = place;
    this.#ignored = ignored;
  }

  /** Text, or undefined. */
  text(field: string): string | undefined {
    const value = this.#entry[field];
    if (isAbsent(value)) return undefined;
    if (typeof value === "string") return value;
    this.#skip(field, `expected text, got ${describeValue(value)}`);
    return undefined;
  }

  /** True, false, or undefined. */
  flag(field: string): boolean | undefined {
    const value = this.#entry[field];
    if (isAbsent(value)) return undefined;
    if (typeof value === "boolean") return value;
    this.#skip(field, `expected true or false, got ${describeValue(value)}`);
    return undefined;
  }

  /** A list of names, or undefined. Items of another type are left out. */
  names(field: string): readonly string[] | undefined {
    const value = this.#entry[field];
    if (isAbsent(value)) return undefined;
    if (!Array.isArray(value)) {
      this.#skip(
        field,
        `expected a list of names, got ${describeValue(value)}`,
      );
      return undefined;
    }
    const names: string[] = [];
    value.forEach((item: unknown, index) => {
      if (typeof item === "string") {
        names.push(item);
        return;
      }
      this.#ignored.add(
        within(this.#place, field, index),
        `Item left out: expected a name, got ${describeValue(item)}`,
        "warning",
      );
    });
    return names;
  }

  /** One of some words, or undefined. */
  oneOf<T extends string>(field: string, words: readonly T[]): T | undefined {
    const value = this.#entry[field];
    if (isAbsent(value)) return undefined;
    const word = words.find((one) => one === value);
    if (word === undefined) {
      const got = describeValue(value);
      this.#skip(field, `expected one of ${words.join(", ")}, got ${got}`);
    }
    return word;
  }

  /** A number above zero, or undefined. */
  positive(field: string): number | undefined {
    const value = this.#entry[field];
    if (isAbsent(value)) return undefined;
    if (typeof value === "number" && value > 0 && value < Infinity) {
      return value;
    }
    this.#skip(field, `expected a number above 0, got ${describeValue(value)}`);
    return undefined;
  }

  /**
   * A program and its arguments, or undefined. All of it or nothing: with an
   * argument left out it would be another command.
   */
  command(field: string): readonly string[] | undefined {
    const value = this.#entry[field];
    if (isAbsent(value)) return undefined;
    const isCommand = Array.isArray(value) && value.length > 0 &&
      value.every((item) => typeof item === "string") && value[0] !== "";
    if (isCommand) return value;
    const got = describeValue(value);
    this.#skip(
      field,
      `expected a program and its arguments as a list of texts, got ${got}`,
    );
    return undefined;
  }

  #skip(field: string, reason: string): void {
    this.#ignored.add(
      within(this.#place, field),
      `Field ignored: ${reason}`,
      "warning",
    );
  }
}

/** Drops members that are undefined: fields are present or absent. */
export function present<T extends object>(fields: T): Present<T> {
  const kept = Object.entries(fields).filter(([, value]) =>
    value !== undefined
  );
  // The cast states what the filter did, member by member.
  return Object.fromEntries(kept) as Present<T>;
}

/** Members that may be undefined, turned into members that may be absent. */
export type Present<T> =
  & {
    [K in keyof T as undefined extends T[K] ? never : K]: T[K];
  }
  & {
    [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<
      T[K],
      undefined
    >;
  };
