/**
 * A value inside an answer that knows where it lies, so that every complaint
 * names its place. Reading takes the fields it is asked for and ignores the
 * rest; a null field counts as absent.
 *
 * @module
 */

import { CortexProtocolError } from "../errors.ts";

/** A value of an answer, its place, and what the answer was for. */
export class AnswerPart {
  readonly #value: unknown;
  readonly #path: string;
  readonly #operation: string;

  /** Takes the operation and the whole answer; the place is for siblings. */
  constructor(operation: string, value: unknown, path = "$") {
    this.#operation = operation;
    this.#value = value;
    this.#path = path;
  }

  /** Whether the value is absent or null. */
  get isAbsent(): boolean {
    return this.#value === undefined || this.#value === null;
  }

  /** The value itself, for a check that the readers here do not have. */
  get value(): unknown {
    return this.#value;
  }

  /** Whether an object has the field, if only as null. */
  has(name: string): boolean {
    return typeof this.#value === "object" && this.#value !== null &&
      Object.hasOwn(this.#value, name);
  }

  /** A field of an object; of an absent value, an absent one. */
  field(name: string): AnswerPart {
    const path = `${this.#path}.${name}`;
    if (this.isAbsent) return new AnswerPart(this.#operation, undefined, path);
    if (typeof this.#value !== "object" || Array.isArray(this.#value)) {
      throw this.fault("is no object");
    }
    const fields = this.#value as Record<string, unknown>; // Checked above.
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    return new AnswerPart(this.#operation, value, path);
  }

  /** The first of the fields that is there; the first name when none is. */
  firstOf(name: string, ...others: readonly string[]): AnswerPart {
    const first = this.field(name);
    if (!first.isAbsent) return first;
    return others.map((other) => this.field(other))
      .find((part) => !part.isAbsent) ?? first;
  }

  /** The elements of a list. */
  list(): readonly AnswerPart[] {
    if (!Array.isArray(this.#value)) throw this.fault("is no list");
    return this.#value.map((item: unknown, index) =>
      new AnswerPart(this.#operation, item, `${this.#path}[${index}]`)
    );
  }

  /** The elements of a list, none when it is absent. */
  optionalList(): readonly AnswerPart[] {
    return this.isAbsent ? [] : this.list();
  }

  /** A text that is not empty. */
  text(): string {
    if (typeof this.#value === "string" && this.#value !== "") {
      return this.#value;
    }
    throw this.fault(this.isAbsent ? "is missing" : "is no text, or empty");
  }

  /** A text, empty or not; undefined when it is absent. */
  optionalText(): string | undefined {
    if (this.isAbsent) return undefined;
    if (typeof this.#value === "string") return this.#value;
    throw this.fault("is no text");
  }

  /** A whole number from 0; undefined when it is absent. */
  optionalCount(): number | undefined {
    if (this.isAbsent) return undefined;
    if (Number.isSafeInteger(this.#value) && Number(this.#value) >= 0) {
      return Number(this.#value);
    }
    throw this.fault("is no count");
  }

  /** A number from 0 to 1. */
  share(): number {
    const value = this.#value;
    if (typeof value === "number" && value >= 0 && value <= 1) return value;
    throw this.fault("is no number from 0 to 1");
  }

  /** Whether the value is `true`. */
  isTrue(): boolean {
    if (this.isAbsent || typeof this.#value === "boolean") {
      return this.#value === true;
    }
    throw this.fault("is neither true nor false");
  }

  /** One of the known words; any other value, or none, is "unknown". */
  oneOf<const T extends string>(known: readonly T[]): T | "unknown" {
    return known.find((one) => one === this.#value) ?? "unknown";
  }

  /** The error that says what is wrong here. */
  fault(problem: string): CortexProtocolError {
    const operation = this.#operation;
    return new CortexProtocolError({ operation, path: this.#path, problem });
  }
}
