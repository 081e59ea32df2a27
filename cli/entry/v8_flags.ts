/**
 * How V8 is to treat a process, by what it is started for.
 *
 * @module
 */

/**
 * Of those that serve one caller each, many stand side by side: memory counts
 * there, and a call is mostly the database's time. Without these the heap grows
 * to twice what it holds, since V8 collects late what calls leave behind
 * (`deno task bench rss records`).
 */
const FOR_MANY = "--v8-flags=--optimize-for-size,--no-sparkplug,--no-maglev";

/** Flags of `deno run` for a call of the program. */
export function v8Flags(words: readonly string[]): readonly string[] {
  return words[0] === "stdio" ? [FOR_MANY] : [];
}
