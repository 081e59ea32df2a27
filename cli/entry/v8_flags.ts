/**
 * How V8 is to treat a process, by what it is started for.
 *
 * @module
 */

/**
 * Of those that serve one caller each, many stand side by side: memory counts
 * there. Without these the heap grows to twice what it holds, since V8 collects
 * late what calls leave behind; flags that have it compile less would keep a
 * call as slow as its first (`deno task bench rss records`).
 */
const FOR_MANY = "--v8-flags=--max-semi-space-size=2,--heap-growing-percent=10";

/** Flags of `deno run` for a call of the program. */
export function v8Flags(words: readonly string[]): readonly string[] {
  return words[0] === "stdio" ? [FOR_MANY] : [];
}
