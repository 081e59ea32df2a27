/**
 * How well recall finds: two corpora of our own, eight kinds of questions,
 * beside SQLite's FTS5 and the official memory server with the same data.
 *
 * @module
 */
import { HAS_NPM } from "../../support/clients.ts";
import {
  type Bench,
  type Benchmark,
  type Figure,
  type Part,
  type Table,
  toRow,
} from "../benchmark.ts";
import {
  type Corpus,
  CORPUS_NAMES,
  readCorpus,
  readSynonyms,
} from "./corpus.ts";
import { startFakeEmbeddings } from "../../support/fake_embeddings.ts";
import { createFts5Ranker } from "./fts5.ts";
import { openOurs, type Ours } from "./ours.ts";
import type { TestDb } from "../../support/test_db.ts";
import { openServerMemoryRanker } from "./server_memory.ts";
import { ask, type Ranker, type Score, scoresOf } from "./score.ts";

const UNIT = "of 1";

/** The benchmark. */
export const recall: Benchmark = {
  name: "recall",
  summary: "what recall finds, against FTS5 and server-memory",
  missing: HAS_NPM ? undefined : "npm and Node are not installed",
  async run(bench) {
    const parts: Part[] = [];
    for (const name of CORPUS_NAMES) {
      // The short form is to see that it works, on the smaller of them.
      if (bench.isShort && name === "person") continue;
      parts.push(...await onCorpus(bench, await readCorpus(name)));
    }
    return parts;
  },
};

async function onCorpus(bench: Bench, corpus: Corpus): Promise<Part[]> {
  const { name, memories, questions } = corpus;
  bench.note(`${name}: ${memories.length} memories`);
  const stage = await bench.stage();
  const db = await stage.openOther(`recall_${name}`);
  const test: TestDb = {
    db,
    target: stage.target,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  await using ours = await openOurs(corpus, test);
  await using embeddings = startFakeEmbeddings(await readSynonyms());
  await using near = await openOurs(corpus, test, { embeddings });
  await using peer = await openServerMemoryRanker(corpus, stage.env);
  const fts5 = createFts5Ranker(corpus);
  const scores = new Map<Ranker, ReadonlyMap<string, Score>>();
  for (const ranker of [ours.plain, ours.also, near.plain, fts5, peer]) {
    scores.set(ranker, scoresOf(await ask(ranker, questions)));
  }
  const own = scores.get(ours.plain) ?? new Map();
  return [
    {
      title: `${name}, ${memories.length} memories: R@1 / R@5 / MRR`,
      rows: [toRow("recall_memory in process", ours.tookMs)],
      table: tableOf(scores),
      figures: [
        ...barsOf(own, scores.get(fts5) ?? new Map()),
        {
          label: "R@5 with also",
          value: scores.get(ours.also)?.get("all")?.r5 ?? 0,
          unit: UNIT,
          bar: { atLeast: 0.9 },
        },
        {
          label: "R@5 of paraphrases with vectors of synonyms",
          value: scores.get(near.plain)?.get("paraphrase")?.r5 ?? 0,
          unit: UNIT,
          bar: { atLeast: 0.9 },
        },
        ...await answersOf(ours, corpus),
      ],
    },
  ];
}

function tableOf(
  scores: ReadonlyMap<Ranker, ReadonlyMap<string, Score>>,
): Table {
  const columns = [...scores.values()];
  const [first = new Map<string, Score>()] = columns;
  return {
    head: ["questions", "n", ...[...scores.keys()].map(({ label }) => label)],
    rows: [...first].map(([group, { count }]) => [
      group,
      String(count),
      ...columns.map((own) => scoreText(own.get(group))),
    ]),
  };
}

function scoreText(score: Score | undefined): string {
  if (score === undefined) return "–";
  return [score.r1, score.r5, score.mrr].map((value) => value.toFixed(2))
    .join(" / ");
}

function barsOf(
  ours: ReadonlyMap<string, Score>,
  fts5: ReadonlyMap<string, Score>,
): readonly Figure[] {
  const of = (group: string) => ours.get(group) ?? NO_SCORE;
  const lead = [...ours].map(([group, { r1 }]) =>
    r1 - (fts5.get(group)?.r1 ?? 0)
  );
  const inflected = of("inflected").r5 / of("exact").r5;
  const figures: readonly (readonly [string, number, number])[] = [
    ["R@1", of("all").r1, 0.6],
    ["R@5", of("all").r5, 0.7],
    ["R@5 of Japanese", of("ja").r5, 0.66],
    ["R@5 of Chinese", of("zh").r5, 0.66],
    ["R@5 of inflected words over exact ones", inflected, 1],
    ["least lead of R@1 over FTS5 on a kind", Math.min(...lead), 0],
  ];
  return figures.map(([label, value, atLeast]) => ({
    label,
    value,
    unit: UNIT,
    bar: { atLeast },
  }));
}

const NO_SCORE: Score = { count: 0, r1: 0, r5: 0, mrr: 0 };

/** How often there is an answer where nothing answers, and none elsewhere. */
async function answersOf(
  ours: Ours,
  { questions }: Corpus,
): Promise<readonly Figure[]> {
  const asked = questions.filter(({ kind }) => kind === "nothing");
  if (asked.length === 0) return [];
  let invented = 0;
  for (const question of asked) {
    if (await ours.answer(question) !== null) invented++;
  }
  return [{
    label: "answers to questions that nothing answers",
    value: invented / asked.length,
    unit: UNIT,
  }];
}
