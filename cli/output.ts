/**
 * What verbs print for people: stdout for what was asked for, stderr for the
 * rest.
 *
 * @module
 */
import { toPrintable, toPrintableJson } from "../mcp/mod.ts";

/** Printable text that stays one line, and one cell of a table. */
export function toLine(text: string): string {
  return toPrintable(text).replaceAll(/[\n\t]/g, "\ufffd");
}

/** Prints text on stdout. */
export function print(text = ""): void {
  // deno-lint-ignore no-console -- stdout is where a verb's answer goes
  console.log(toPrintable(text));
}

/** Prints text on stderr. */
export function printError(text: string): void {
  // deno-lint-ignore no-console -- a verb's complaint goes to stderr
  console.error(toPrintable(text));
}

/** Prints a value as indented JSON on stdout; what is unprintable is escaped. */
export function printJson(value: unknown): void {
  print(toPrintableJson(JSON.stringify(value, null, 2)));
}

/** Lays rows out in columns as wide as their longest cell. */
export function table(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map(toLine));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ").trimEnd()
  ).join("\n");
}
