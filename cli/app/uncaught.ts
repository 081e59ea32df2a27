/**
 * Errors that nothing caught, in a process that serves others.
 *
 * They are logged in full with a reference, and the process goes on: what it
 * serves is kept in the database, and one fault must not cut everybody off.
 *
 * @module
 */
import type { Log, UncaughtKind } from "../../mcp/mod.ts";

/** Logs what nothing catches, until disposed of. */
export function logUncaught(
  log: Log,
  count: (kind: UncaughtKind) => void = () => {},
): Disposable {
  const note = (kind: UncaughtKind, error: unknown) => {
    const reference = crypto.randomUUID().slice(0, 8);
    log.error("uncaught", { kind, reference, error: asError(error) });
    count(kind);
  };
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault(); // It would end the process.
    note("rejection", event.reason);
  };
  const onError = (event: ErrorEvent) => {
    event.preventDefault();
    note("error", event.error);
  };
  addEventListener("unhandledrejection", onRejection);
  addEventListener("error", onError);
  return {
    [Symbol.dispose]() {
      removeEventListener("unhandledrejection", onRejection);
      removeEventListener("error", onError);
    },
  };
}

/** The log writes errors whole, and of other objects who knows what. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
