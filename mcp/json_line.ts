/**
 * JSON that is one line to every reader.
 *
 * U+2028 and U+2029 are line ends to some readers of lines (Node's `readline`,
 * Python's `splitlines`) and plain characters to JSON, so they leave escaped.
 *
 * @module
 */

/** The value as JSON in one line, without a line end. */
export function toJsonLine(
  value: unknown,
  replacer?: (key: string, value: unknown) => unknown,
): string {
  return JSON.stringify(value, replacer)
    .replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
