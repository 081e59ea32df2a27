/**
 * The log: JSON lines on stderr. The only file that may use the console, and
 * stdout is never touched: on stdio it belongs to the protocol.
 *
 * @module
 */
import { toJsonLine } from "./json_line.ts";
import { toPrintableJson } from "./printable.ts";

/** Severities, from the loudest threshold to the quietest. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** A severity. */
export type LogLevel = typeof LOG_LEVELS[number];

/** Facts beside a log line; errors are written with their causes. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes events, one JSON line each. */
export interface Log {
  /** Detail for developers. */
  debug(event: string, fields?: LogFields): void;
  /** Normal operation. */
  info(event: string, fields?: LogFields): void;
  /** Something to look at. */
  warn(event: string, fields?: LogFields): void;
  /** Something to act on. */
  error(event: string, fields?: LogFields): void;
}

/** Makes a log that drops what is below `threshold`. */
export function createLog(
  threshold: LogLevel,
  write: (line: string) => void = (line) => {
    // deno-lint-ignore no-console -- the one place that writes the log
    console.error(line);
  },
): Log {
  const from = LOG_LEVELS.indexOf(threshold);
  const at = (level: LogLevel) => (event: string, fields: LogFields = {}) => {
    if (LOG_LEVELS.indexOf(level) < from) return;
    write(toPrintableJson(toJsonLine(
      { time: new Date().toISOString(), level, event, ...fields },
      (_key, value) => value instanceof Error ? describeError(value) : value,
    )));
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
}

function describeError(error: Error): Record<string, unknown> {
  return {
    name: error.name,
    message: withoutCredentials(error.message),
    ...("code" in error ? { code: error.code } : {}),
    ...(error.stack === undefined
      ? {}
      : { stack: withoutCredentials(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: error.cause }),
  };
}

/** Blanks the credentials of addresses (`scheme://user:password@host`). */
export function withoutCredentials(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, "$1***@");
}
