/**
 * What verbs print for people: stdout for what was asked for, stderr for the
 * rest.
 *
 * @module
 */

/** Controls, and what turns the direction of writing; not line end and tab. */
const UNPRINTABLE_REGEXP =
  /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text that cannot drive a terminal: names and titles are somebody else's. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE_REGEXP, "\ufffd");
}

/** Prints a line on stdout. */
export function print(text = ""): void {
  // deno-lint-ignore no-console -- stdout is where a verb's answer goes
  console.log(toPrintable(text));
}

/** Prints a line on stderr. */
export function printError(text: string): void {
  // deno-lint-ignore no-console -- a verb's complaint goes to stderr
  console.error(toPrintable(text));
}

/** Prints a value as indented JSON on stdout. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
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
