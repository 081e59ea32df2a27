/**
 * Reports as text for a terminal, and as Markdown for `docs/performance.md`.
 *
 * @module
 */
import { type Figure, isMet, type Part, type Table } from "./benchmark.ts";

/** What a benchmark reported. */
export interface Report {
  readonly name: string;
  readonly summary: string;
  /** Version of PostgreSQL, where one was used. */
  readonly postgres?: string;
  readonly parts: readonly Part[];
}

const BEGIN_MARK = "<!-- figures -->";
const END_MARK = "<!-- /figures -->";

/** A text with what stands between its marks replaced. */
export function replaceFigures(text: string, figures: string): string {
  const begin = text.indexOf(BEGIN_MARK);
  const end = text.indexOf(END_MARK);
  if (begin < 0 || end < begin) {
    throw new Error(
      `The file needs the lines ${BEGIN_MARK} and ${END_MARK}; the figures go between them`,
    );
  }
  return [text.slice(0, begin + BEGIN_MARK.length), figures, text.slice(end)]
    .join("\n\n");
}

/** Reports as Markdown: first the bars, then everything. */
export function markdown(reports: readonly Report[], machine: string): string {
  const bars = reports.flatMap(({ name, parts }) =>
    parts.flatMap(({ title, figures }) =>
      figures.filter(({ bar }) => bar !== undefined).map((figure) => [
        `\`${name}\`: ${title}, ${figure.label}`,
        barText(figure),
        `${digits(figure.value)} ${figure.unit}`,
        isMet(figure) === true ? "yes" : "**no**",
      ])
    )
  );
  return [
    machine,
    ...(bars.length === 0
      ? []
      : [table(["measure", "bar", "measured", "met"], bars)]),
    ...reports.flatMap(({ name, summary, parts }) => [
      `### ${name}: ${summary}`,
      ...parts.flatMap(partMarkdown),
    ]),
  ].join("\n\n");
}

function partMarkdown(
  { title, rows, figures, table: texts }: Part,
): readonly string[] {
  const times = rows.map(({ label, p50, p99, rate, count }) =>
    [label, timeText(p50), timeText(p99), rateText(rate), String(count)].map(
      (cell) => cell.trim(),
    )
  );
  const lines = figures.map(({ label, value, unit }) =>
    `- ${label}: ${digits(value)} ${unit}`
  );
  return [
    ...(times.length === 0
      ? [title]
      : [table([title, "p50", "p99", "rate", "n"], times)]),
    ...(texts === undefined ? [] : [table(texts.head, texts.rows)]),
    ...(lines.length === 0 ? [] : [lines.join("\n")]),
  ];
}

function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** A part as a table, and its figures below. */
export function partText({ title, rows, figures, table }: Part): string {
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
  return [
    title,
    ...lines,
    ...(table === undefined ? [] : columnsText(table)),
    ...figures.map(figureText),
  ].join("\n");
}

function columnsText({ head, rows }: Table): readonly string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0))
  );
  return all.map((row) =>
    `  ${
      row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
    }`.trimEnd()
  );
}

function figureText(figure: Figure): string {
  const { label, value, unit, bar } = figure;
  const line = `  → ${label}: ${digits(value)} ${unit}`;
  if (bar === undefined) return line;
  return `${line} (bar: ${barText(figure)}; ${
    isMet(figure) === true ? "met" : "NOT MET"
  })`;
}

function barText({ bar, unit }: Figure): string {
  if (bar === undefined) return "";
  return "atMost" in bar
    ? `at most ${bar.atMost} ${unit}`
    : `at least ${bar.atLeast} ${unit}`;
}

function timeText(ms: number): string {
  const text = ms < 0.1
    ? `${digits(ms * 1000)} µs`
    : ms < 10_000
    ? `${digits(ms)} ms`
    : `${digits(ms / 1000)} s`;
  return text.padStart(9);
}

function rateText(rate: number): string {
  return `${rate >= 100 ? rate.toFixed(0) : digits(rate)}/s`.padStart(11);
}

/** Three digits that mean something. */
function digits(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
