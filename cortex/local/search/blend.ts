/**
 * One order of what shares words with a query and of what is near to it in
 * meaning.
 *
 * A hit by words leaves a part of its relevance open; how like its meaning is
 * closes some of that. So what words find surely stays first, and what no word
 * finds comes by its likeness alone. Likeness is measured from the mean over
 * all passages, which differs between models, to 1.
 *
 * Specification: docs/spec/recall.md section 8.
 *
 * @module
 */
import type { LogNearest } from "../port.ts";
import type { RankedHit } from "./ranked_hit.ts";

/** What likeness alone can bring, beside words. */
const WEIGHT = 0.5;
/** What is less alike does not come by that. */
const MIN_LIKENESS = 0.2;
/** Comparisons until the mean is believed: few passages may all be alike. */
const MEAN_PRIOR = 20;

/** The hits of both, in no order. */
export function blend(
  byWords: readonly RankedHit[],
  { events, compared, meanSimilarity }: LogNearest,
): readonly RankedHit[] {
  const mean = Math.max(0, meanSimilarity) * compared / (compared + MEAN_PRIOR);
  const blended = new Map(byWords.map((hit) => [hit.id, hit]));
  for (const { similarity, ...near } of events) {
    const likeness = Math.min(1, (similarity - mean) / (1 - mean));
    if (!(likeness >= MIN_LIKENESS)) continue;
    const hit = blended.get(near.id);
    const own = WEIGHT * likeness;
    const score = 1 - (1 - (hit?.score ?? 0)) * (1 - own);
    // The passage that is shown is the one that says more.
    const shown = hit !== undefined && hit.score >= own ? hit : near;
    blended.set(near.id, {
      ...shown,
      score,
      coverage: hit?.coverage ?? 0,
      words: hit?.words ?? [],
      likeness,
    });
  }
  return [...blended.values()];
}
