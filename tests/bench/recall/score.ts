/**
 * How good a ranking is: how often what is asked for comes first (R@1), among
 * the first five (R@5), and the mean of one over its rank (MRR).
 *
 * @module
 */
import { type Question, QUESTION_KINDS } from "./corpus.ts";

/** Ranks memories. */
export interface Ranker {
  readonly label: string;
  /** Ids of the best memories, at most ten, best first. */
  rank(question: Question): Promise<readonly string[]> | readonly string[];
}

/** How good a ranking is, from 0 to 1. */
export interface Score {
  /** How many questions it is of. */
  readonly count: number;
  readonly r1: number;
  readonly r5: number;
  readonly mrr: number;
}

/** What became of a question. */
export interface Outcome {
  readonly question: Question;
  /** From 1; undefined where it was not found. */
  readonly rank: number | undefined;
}

/** Asks every question that something answers. */
export async function ask(
  ranker: Ranker,
  questions: readonly Question[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    if (question.finds.length === 0) continue;
    const ids = await ranker.rank(question);
    const at = ids.findIndex((id) => question.finds.includes(id));
    outcomes.push({ question, rank: at < 0 ? undefined : at + 1 });
  }
  return outcomes;
}

/** The score of all of the outcomes. */
export function scoreOf(outcomes: readonly Outcome[]): Score {
  const mean = (valueOf: (rank: number) => number) =>
    outcomes.reduce(
      (sum, { rank }) => sum + (rank === undefined ? 0 : valueOf(rank)),
      0,
    ) / outcomes.length;
  return {
    count: outcomes.length,
    r1: mean((rank) => rank === 1 ? 1 : 0),
    r5: mean((rank) => rank <= 5 ? 1 : 0),
    mrr: mean((rank) => 1 / rank),
  };
}

/** Scores by kind of question, then those of some languages, then all. */
export function scoresOf(
  outcomes: readonly Outcome[],
): ReadonlyMap<string, Score> {
  const groups = new Map<string, readonly Outcome[]>();
  for (const kind of QUESTION_KINDS) {
    groups.set(kind, outcomes.filter((one) => one.question.kind === kind));
  }
  for (const language of ["ja", "zh"]) {
    groups.set(
      language,
      outcomes.filter((one) => one.question.language === language),
    );
  }
  groups.set("all", outcomes);
  return new Map(
    [...groups].filter(([, own]) => own.length > 0)
      .map(([group, own]) => [group, scoreOf(own)]),
  );
}
