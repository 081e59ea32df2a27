/**
 * Waits for a signal that asks this process to end.
 *
 * @module
 */

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/** What a stop is asked for with where SIGHUP means something else. */
export const STOP_BUT_HANG_UP: readonly Deno.Signal[] = SIGNALS.filter((name) =>
  name !== "SIGHUP"
);

/** A pending wait for a signal; disposing stops listening. */
export interface StopSignal extends Disposable {
  /** Resolves with the first signal. */
  readonly received: Promise<Deno.Signal>;
}

/** Starts to listen for the signals that end a process. */
export function awaitStop(
  signals: readonly Deno.Signal[] = SIGNALS,
): StopSignal {
  const { promise, resolve } = Promise.withResolvers<Deno.Signal>();
  const listeners = signals.map((signal) => {
    const listener = () => resolve(signal);
    Deno.addSignalListener(signal, listener);
    return () => Deno.removeSignalListener(signal, listener);
  });
  return {
    received: promise,
    [Symbol.dispose]: () => listeners.forEach((remove) => remove()),
  };
}
