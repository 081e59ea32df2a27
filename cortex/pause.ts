/**
 * Long work in short stretches: whoever asks between two steps lets others have
 * their turn where this thread has worked for a while.
 *
 * All that work share one clock and go on one by one, so that six of them
 * together hold the event loop no longer than one.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises";

/** How long this thread works before others have their turn, in milliseconds. */
const STRETCH_MS = 10;

let began = 0;
/** Settles with the turn that was given out last. */
let turn: Promise<void> = Promise.resolve();

/** To be awaited between two steps; undefined: go on at once. */
export function pause(): Promise<void> | undefined {
  if (performance.now() - began < STRETCH_MS) return undefined;
  turn = turn.then(() => setImmediate()).then(() => {
    began = performance.now();
  });
  return turn;
}
