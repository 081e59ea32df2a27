/**
 * How long the event loop was held: the longest time between two turns of it.
 *
 * @module
 */

/** A running probe; it ends with its scope. */
export interface LoopProbe extends Disposable {
  /** The longest gap since the last call, in milliseconds; begins anew. */
  take(): number;
}

/** Begins to watch the event loop of this thread. */
export function watchLoop(): LoopProbe {
  // A message comes with the next turn; a timer would add its own delay.
  const { port1, port2 } = new MessageChannel();
  let last = performance.now();
  let longest = 0;
  let isWatching = true;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  port1.onmessage = () => {
    look();
    // Turn upon turn would take the processor away from what is watched.
    if (isWatching) timer = setTimeout(() => port2.postMessage(null), 1);
  };
  port2.postMessage(null);
  return {
    take() {
      look();
      const taken = longest;
      longest = 0;
      return taken;
    },
    [Symbol.dispose]() {
      isWatching = false;
      clearTimeout(timer);
      port1.close();
      port2.close();
    },
  };
}
