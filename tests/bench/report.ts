/**
 * Reports as text.
 *
 * @module
 */
import { type Figure, isMet, type Part } from "./benchmark.ts";

/** A part as a table, and its figures below. */
export function partText({ title, rows, figures }: Part): string {
  const width = Math.max(0, ...rows.map(({ label }) => label.length)) + 2;
  const lines = rows.map(({ label, p50, p99, rate, count }) =>
    [
      `  ${label.padEnd(width)}`,
      `p50 ${timeText(p50)}`,
      `p99 ${timeText(p99)}`,
      `${rateText(rate)}`,
      `n ${count}`,
    ].join("  ")
  );
  return [title, ...lines, ...figures.map(figureText)].join("\n");
}

function figureText(figure: Figure): string {
  const { label, value, unit, bar } = figure;
  const line = `  → ${label}: ${figures3(value)} ${unit}`;
  if (bar === undefined) return line;
  const limit = "atMost" in bar
    ? `at most ${bar.atMost}`
    : `at least ${bar.atLeast}`;
  return `${line} (bar: ${limit} ${unit}; ${
    isMet(figure) === true ? "met" : "NOT MET"
  })`;
}

function timeText(ms: number): string {
  const text = ms < 0.1
    ? `${figures3(ms * 1000)} µs`
    : ms < 10_000
    ? `${figures3(ms)} ms`
    : `${figures3(ms / 1000)} s`;
  return text.padStart(9);
}

function rateText(rate: number): string {
  return `${rate >= 100 ? rate.toFixed(0) : figures3(rate)}/s`.padStart(11);
}

/** Three digits that mean something. */
function figures3(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
