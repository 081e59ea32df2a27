/**
 * Long work in short stretches: whoever asks between two steps lets others
 * have their turn where it has worked for a while.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises";

/** How long one works before others have their turn, in milliseconds. */
const STRETCH_MS = 10;
/** Steps between two looks at the clock. */
const STEPS = 16;

/** To be called between two steps; nothing to wait for on most calls. */
export type Pause = () => Promise<void> | undefined;

/** Begins to work. */
export function createPause(): Pause {
  let began = performance.now();
  let steps = 0;
  return () => {
    if (++steps % STEPS !== 0) return undefined;
    if (performance.now() - began < STRETCH_MS) return undefined;
    return setImmediate().then(() => {
      began = performance.now();
    });
  };
}
