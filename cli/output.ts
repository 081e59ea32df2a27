/**
 * What verbs print for people: stdout for what was asked for, stderr for the
 * rest.
 *
 * @module
 */

/** Controls, what turns the direction of writing, and other line ends. */
const UNPRINTABLE_REGEXP = /(?!\t)[\p{C}\u2028\u2029]/gu;

/** A line that cannot drive a terminal: names and titles are somebody else's. */
export function toPrintable(line: string): string {
  return line.replace(UNPRINTABLE_REGEXP, "\ufffd");
}

/** Prints text on stdout. */
export function print(text = ""): void {
  // deno-lint-ignore no-console -- stdout is where a verb's answer goes
  console.log(printableLines(text));
}

/** Prints text on stderr. */
export function printError(text: string): void {
  // deno-lint-ignore no-console -- a verb's complaint goes to stderr
  console.error(printableLines(text));
}

/** Prints a value as indented JSON on stdout; what is unprintable is escaped. */
export function printJson(value: unknown): void {
  const escape = (text: string) =>
    text.split("").map((unit) =>
      `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
    ).join("");
  print(
    JSON.stringify(value, null, 2).split("\n")
      .map((line) => line.replace(UNPRINTABLE_REGEXP, escape)).join("\n"),
  );
}

function printableLines(text: string): string {
  return text.split("\n").map(toPrintable).join("\n");
}

/** Lays rows out in columns as wide as their longest cell. */
export function table(rows: readonly (readonly string[])[]): string {
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
