/**
 * Regular expressions of a catalog, matched in linear time.
 *
 * The engine does not backtrack; what it cannot express is refused by name. The
 * constant of "linear" is bounded too: by the size of a compiled pattern, and by
 * the meter that every match is announced to.
 *
 * @module
 */

import { RE2JS } from "re2js";

import { translatePattern } from "./ecma_pattern.ts";
import { MAX_PATTERN_CHARS, measurePattern } from "./pattern_size.ts";
import type { WorkMeter } from "./meter.ts";
import { cutText } from "../parse/problems.ts";

/** Most instructions of one compiled pattern. */
export const MAX_PROGRAM_SIZE = 2_100;

/** Most instructions by its text; what the compiler merges is let through. */
const MAX_ESTIMATE = 4 * MAX_PROGRAM_SIZE;
/** Most Unicode properties in one pattern. */
export const MAX_PROPERTIES = 40;

const TOO_MANY_TIMES =
  "it repeats more than 1,000 times; use minLength and maxLength for lengths";

// Steps of the engine's slow path that count as one unit of work.
const STEPS_PER_UNIT = 16;

/** A pattern that cannot be used, with the reason for people. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  /** The pattern as declared. */
  readonly pattern: string;

  /** Takes the pattern and what is wrong with it. */
  constructor(pattern: string, reason: string) {
    super(`Pattern "${cutText(pattern, 80)}" cannot be used: ${reason}`);
    this.pattern = pattern;
  }
}

/** A compiled pattern, as schema compilers expect it. */
export interface Matcher {
  /** Whether a part of the text matches. */
  test(text: string): boolean;
  /** The pattern; compilers tell matchers apart by it. */
  toString(): string;
}

/** Compiles a pattern. @throws {PatternError} It cannot be used. */
export function compilePattern(pattern: string, meter: WorkMeter): Matcher {
  if (pattern.length > MAX_PATTERN_CHARS) {
    throw new PatternError(
      pattern,
      `it has ${pattern.length} characters; at most ${MAX_PATTERN_CHARS} are allowed`,
    );
  }
  assertSize(pattern);
  const translation = translatePattern(pattern);
  if (!translation.ok) throw new PatternError(pattern, translation.reason);
  const compiled = compile(pattern, translation.pattern);
  const size = compiled.programSize();
  if (size > MAX_PROGRAM_SIZE) {
    throw new PatternError(pattern, tooLarge(size));
  }
  meter.spend(size);
  return {
    test(text) {
      meter.spend(1 + (text.length * size) / STEPS_PER_UNIT);
      return compiled.test(text);
    },
    toString: () => pattern,
  };
}

/** Refuses by the text what would take long to compile only to be refused. */
function assertSize(pattern: string): void {
  const { instructions, properties } = measurePattern(pattern);
  if (properties > MAX_PROPERTIES) {
    throw new PatternError(
      pattern,
      `it names ${properties} Unicode properties; at most ${MAX_PROPERTIES} are allowed`,
    );
  }
  if (instructions > MAX_ESTIMATE) {
    throw new PatternError(pattern, tooLarge(instructions));
  }
}

function tooLarge(size: number): string {
  return "it is too large when its repetitions are written out: " +
    `${size} instructions, at most ${MAX_PROGRAM_SIZE} are allowed; ` +
    "repeat fewer times";
}

function compile(pattern: string, translated: string): RE2JS {
  try {
    return RE2JS.compile(translated);
  } catch (error) {
    const text = error instanceof Error ? error.message : "";
    if (/repeat/i.test(text)) {
      throw new PatternError(pattern, TOO_MANY_TIMES);
    }
    const detail = cutText(text, 120);
    throw new PatternError(
      pattern,
      `the linear-time engine does not know it (${detail})`,
    );
  }
}
