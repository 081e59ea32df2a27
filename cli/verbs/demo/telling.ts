/**
 * How the demo tells what it does, and what does not hold.
 *
 * @module
 */
import { print } from "../../output.ts";

/** Begins an act. */
export function say(line: string): void {
  print("");
  print(`• ${line}`);
}

/** Tells what happened in it. */
export function note(line: string): void {
  print(`  ${line}`);
}

/** Goes on only where a claim holds. */
export function expect(holds: boolean, claim: string): void {
  if (!holds) throw new Error(`The demo failed: ${claim} – it did not hold`);
}
