/**
 * Lists of problems as text: cut at a count and at a length, and every cut says
 * how much it left out.
 *
 * @module
 */

import type { Problem } from "../types.ts";

/** Most problems that are listed. */
export const MAX_PROBLEMS = 10;

const MAX_POINTER_CHARS = 100;
const MAX_REASON_CHARS = 220;

/**
 * Joins problems to one text of at most 4,000 characters: at most ten of them,
 * then "and N more".
 */
export function formatProblems(
  problems: readonly Problem[],
  options: { total?: number; totalIsFloor?: boolean } = {},
): string {
  const total = Math.max(options.total ?? 0, problems.length);
  const shown = problems.slice(0, MAX_PROBLEMS);
  const parts = shown.map((problem) => formatProblem(problem));
  const rest = total - shown.length;
  if (options.totalIsFloor) parts.push(`and at least ${rest} more`);
  else if (rest > 0) parts.push(`and ${rest} more`);
  return parts.join("; ");
}

/** Cuts both parts of a problem to a length that lists of ten can hold. */
export function cutProblem({ pointer, reason }: Problem): Problem {
  return {
    pointer: cutText(pointer, MAX_POINTER_CHARS),
    reason: cutText(reason, MAX_REASON_CHARS),
  };
}

/** Cuts text to a number of characters and says how many were left out. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  let end = maxChars;
  // Half of a surrogate pair is not text.
  if (isHighSurrogate(text.charCodeAt(end - 1))) end--;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

function formatProblem(problem: Problem): string {
  const { pointer, reason } = cutProblem(problem);
  return `${pointer === "" ? "the whole" : pointer}: ${reason}`;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
