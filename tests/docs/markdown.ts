/**
 * Markdown that is written by programs.
 *
 * @module
 */

/** A table; cells may hold anything but line ends. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join(
    "\n",
  );
}

/** Names in backticks, separated by commas. */
export function names(all: readonly string[]): string {
  return all.map((name) => `\`${name}\``).join(", ");
}
