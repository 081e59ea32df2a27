/**
 * Reports as text for a terminal, and as one table of `docs/performance.md`,
 * in which a run replaces the rows of the benchmarks that it ran.
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
  /** Runnable processes over the minute before it. */
  readonly load: number;
  readonly parts: readonly Part[];
}

const BEGIN_MARK = "<!-- figures -->";
const END_MARK = "<!-- /figures -->";
const HEAD = ["command", "measure", "figure", "bar", "met", "load"];
/** Of a benchmark that has no row yet. */
const NOT_MEASURED = ["not measured", "", "", "", ""];

/** What the figures of a page are made from. */
export interface Figures {
  /** The benchmarks that were run. */
  readonly reports: readonly Report[];
  /** Names of all that there are, in the order of the table. */
  readonly names: readonly string[];
  /** The machine, in one line. */
  readonly machine: string;
}

/**
 * A page with the figures of a run between its marks. Rows of benchmarks that
 * were not run stay.
 *
 * @throws {Error} The page has no marks.
 */
export function replaceFigures(
  page: string,
  { reports, names, machine }: Figures,
): string {
  const begin = page.indexOf(BEGIN_MARK);
  const end = page.indexOf(END_MARK);
  if (begin < 0 || end < begin) {
    throw new Error(
      `The file needs the lines ${BEGIN_MARK} and ${END_MARK}; the figures go between them`,
    );
  }
  const known = rowsOf(page.slice(begin, end));
  const rows = names.flatMap((name) => {
    const command = `\`deno task bench ${name}\``;
    const report = reports.find((one) => one.name === name);
    const own = report === undefined
      ? known.filter(([first]) => first === command).map((row) => row.slice(1))
      : measuresOf(report);
    return (own.length === 0 ? [NOT_MEASURED] : own)
      .map((row) => [command, ...row]);
  });
  const figures = [machine, table(HEAD, rows)];
  return [page.slice(0, begin + BEGIN_MARK.length), ...figures, page.slice(end)]
    .join("\n\n");
}

/** The cells of a Markdown table's lines. */
function rowsOf(text: string): string[][] {
  return text.split("\n").filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

/** The figures of a report as rows; where there is none, its median times. */
function measuresOf({ parts, load }: Report): string[][] {
  const cells = parts.flatMap(({ title, rows, figures }) =>
    figures.length > 0
      ? figures.map((figure) => [
        `${title}: ${figure.label}`,
        `${digits(figure.value)} ${figure.unit}`,
        barText(figure),
        metText(isMet(figure)),
      ])
      : rows.map(({ label, p50 }) => [
        `${title}: ${label}, p50`,
        timeText(p50).trim(),
        "",
        "",
      ])
  );
  return cells.map((row) =>
    [...row, load.toFixed(1)].map((cell) => cell.replaceAll("|", "/"))
  );
}

function metText(isMet: boolean | undefined): string {
  return isMet === undefined ? "" : isMet ? "yes" : "**no**";
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
