/**
 * How a check of the catalog is printed: a table for people, JSON for programs.
 *
 * @module
 */

import { toPrintableJson } from "../../../mcp/mod.ts";
import { toLine } from "../../output.ts";
import {
  type CheckedRoot,
  type CheckReport,
  cutText,
} from "../../../catalog/mod.ts";

/** Text to print and the exit code to leave with. */
export interface RenderedCheck {
  /** 0: nothing is an error; 1: something is. */
  readonly code: 0 | 1;
  /** Lines without line ends. */
  readonly lines: readonly string[];
}

const MAX_CELL_CHARS = 60;

/** Usage of the verb. `--json` prints one JSON document, `--help` prints this. */
export const CHECK_USAGE: readonly string[] = [
  "Usage: catalog check [PATH|URL] [--json]",
  "",
  "Reads a catalog as the server would and says what was left out, which roots",
  "share a namespace and which declared schemas cannot be used.",
  "",
  "  PATH|URL  air.json or roots.json, as a path, file: or http(s) URL",
  "            (default: CATALOG, else ./air.json, ./roots.json, the example)",
  "  --json    print one JSON document",
  "  --help    print this",
  "",
  "Exit code: 0 when everything declared works, 1 when something does not",
];

/**
 * Renders a report. Flags of the verb: `--json` sets `json`. Arguments: at most
 * one path or URL, which goes to `checkCatalog`. The caller prints the lines to
 * stdout and exits with the code.
 */
export function renderCheck(
  report: CheckReport,
  options: { json?: boolean } = {},
): RenderedCheck {
  const code = report.ok ? 0 : 1;
  if (options.json) {
    return {
      code,
      lines: toPrintableJson(JSON.stringify(report, null, 2)).split("\n"),
    };
  }
  const lines = report.failure === undefined
    ? renderReport(report)
    : [`Cannot read the catalog "${report.source}": ${report.failure}`];
  return { code, lines: lines.map(toLine) };
}

function renderReport(report: CheckReport): string[] {
  const { roots, ignored, ignoredTotal, findings } = report;
  const lines = [`Catalog: ${report.source}`, ...renderCounts(report), ""];
  lines.push(...renderTable(roots));
  if (ignored.length > 0) {
    lines.push("", `Left out or changed (${ignoredTotal}):`);
    for (const { level, source, pointer, reason } of ignored) {
      lines.push(`  ${level}: ${source}#${pointer}: ${reason}`);
    }
  }
  if (findings.length > 0) {
    lines.push("", `To know (${findings.length}):`);
    for (const { level, root, message } of findings) {
      const about = root === undefined ? "" : `root ${JSON.stringify(root)}: `;
      lines.push(`  ${level}: ${about}${message}`);
    }
  }
  const errors =
    [...ignored, ...findings].filter((item) => item.level === "error").length;
  lines.push(
    "",
    report.ok
      ? "Everything declared works"
      : `${errors} error${
        errors === 1 ? "" : "s"
      }: something declared does not work`,
  );
  return lines;
}

function renderCounts({ roots, artifacts }: CheckReport): string[] {
  const declaring = roots.filter((root) => root.collections.length > 0);
  const collections = declaring.reduce(
    (sum, root) => sum + root.collections.length,
    0,
  );
  const others = Object.entries(artifacts).filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`);
  const lines = [
    `Roots: ${roots.length}, of which ${declaring.length} declare ${collections} collections`,
  ];
  if (others.length > 0) lines.push(`Beside roots: ${others.join(", ")}`);
  return lines;
}

function renderTable(roots: readonly CheckedRoot[]): string[] {
  const rows = [
    ["ROOT", "NAMESPACE", "COLLECTIONS"],
    ...roots.map((root) => [
      cutText(root.name, MAX_CELL_CHARS),
      cutText(root.namespace, MAX_CELL_CHARS) +
      (root.namespaceIsValid ? "" : " (not valid)"),
      root.collections.map((name) =>
        root.unusable.includes(name) ? `${name} (unusable)` : name
      ).join(", ") || "-",
    ]),
  ];
  const widths = [0, 1].map((column) =>
    rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0)
  );
  return rows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
      .trimEnd()
  );
}
