/**
 * Of what a program of PostgreSQL has said, the lines that tell why it ended.
 *
 * @module
 */

const MAX_LINES = 3;
/** Said to whoever connects at the wrong moment: it ended nothing. */
const TURNED_AWAY_REGEXP =
  /FATAL: +(the database system is |sorry, too many clients|terminating connection)/;

/** The last lines that say what went wrong, as one line; else the last ones. */
export function lastWords(output: string): string {
  const lines = linesOf(output);
  const errors = lines.filter((line) =>
    /(error|fatal|panic|detail):/i.test(line)
  );
  return (errors.length > 0 ? errors : lines).slice(-MAX_LINES).join(" | ");
}

/**
 * What a server's log says about its end, as one line: what it died of first,
 * then its last lines. Times and process ids are left out.
 */
export function lastLogWords(log: string): string {
  const lines = linesOf(log.replaceAll(/^.*?\[\d+\] +/gm, ""));
  const deadly = lines.filter((line) =>
    /^(PANIC|FATAL):/.test(line) && !TURNED_AWAY_REGEXP.test(line)
  );
  const first = [
    ...deadly.filter((line) => line.startsWith("PANIC")),
    ...deadly.filter((line) => line.startsWith("FATAL")),
  ];
  const causes = [...new Set(first)].slice(0, MAX_LINES);
  const others = lines.filter((line) => !first.includes(line));
  const room = Math.min(MAX_LINES - causes.length, others.length);
  return [...causes, ...others.slice(others.length - room)].join(" | ");
}

function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}
