/**
 * Merging rankings of the same things by reciprocal rank.
 *
 * What comes early in one of them comes early; what comes in several comes
 * before what one alone has at the same place.
 *
 * @module
 */

/** How slowly a rank loses its worth: of a question's other phrasings each may be the one that hits. */
const RANK_OFFSET = 3;

/** One order of everything that is ranked, best first; of equals the first. */
export function fuse<T>(
  rankings: readonly (readonly T[])[],
  keyOf: (one: T) => string,
): readonly T[] {
  const sums = new Map<string, { readonly best: T; sum: number }>();
  for (const ranking of rankings) {
    const seen = new Set<string>();
    for (const one of ranking) {
      const key = keyOf(one);
      if (seen.has(key)) continue;
      seen.add(key);
      const worth = 1 / (RANK_OFFSET + seen.size);
      const known = sums.get(key);
      if (known === undefined) sums.set(key, { best: one, sum: worth });
      else known.sum += worth;
    }
  }
  return [...sums.values()].sort((a, b) => b.sum - a.sum)
    .map(({ best }) => best);
}
