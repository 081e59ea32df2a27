/**
 * Floors of the quality of recall, on both corpora. Figures are those of
 * `deno task bench recall`; no time is looked at.
 *
 * @module
 */
import { deepEqual, ok } from "node:assert/strict";
import { openTestDb } from "../../support/test_db.ts";
import {
  type Corpus,
  CORPUS_NAMES,
  QUESTION_KINDS,
  readCorpus,
  readSynonyms,
} from "./corpus.ts";
import { startFakeEmbeddings } from "../../support/fake_embeddings.ts";
import { createFts5Ranker } from "./fts5.ts";
import { openOurs } from "./ours.ts";
import { ask, type Outcome, scoreOf, scoresOf } from "./score.ts";

/** What is held: of all questions, and of Japanese and Chinese ones. */
const FLOORS = { r1: 0.6, r5: 0.7, cjkR5: 0.66, alsoR5: 0.9 } as const;
/** With vectors of a model that knows synonyms. */
const VECTOR_PARAPHRASE_R5 = 0.9;
/** Share of the questions without an answer that may be given one. */
const MOST_INVENTED = 0.1;

Deno.test("the corpora have items, questions, kinds and languages enough", async () => {
  const all = await Promise.all(CORPUS_NAMES.map(readCorpus));
  const [person] = all;
  ok(person !== undefined && person.memories.length >= 300);
  ok(person.questions.length >= 120);
  for (const { memories, questions } of all) {
    const ids = memories.map(({ id }) => id);
    deepEqual(ids, [...new Set(ids)]);
    deepEqual(
      questions.flatMap(({ finds }) => finds).filter((id) => !ids.includes(id)),
      [],
    );
    for (const kind of QUESTION_KINDS) {
      ok(questions.filter((one) => one.kind === kind).length >= 6, kind);
    }
    const languages = new Set(
      questions.flatMap(({ language = [] }) => language),
    );
    ok(languages.size >= 5 && languages.has("ja") && languages.has("zh"));
  }
});

Deno.test("a ranking is scored by the rank of what is asked for", () => {
  const question = {
    kind: "exact",
    query: "?",
    finds: ["a"],
    also: [],
  } as const;
  const outcomes = [1, 2, 6, undefined].map((rank): Outcome => ({
    question,
    rank,
  }));
  const { count, r1, r5, mrr } = scoreOf(outcomes);
  deepEqual([count, r1, r5], [4, 0.25, 0.5]);
  ok(Math.abs(mrr - (1 + 1 / 2 + 1 / 6) / 4) < 1e-9);
});

for (const name of CORPUS_NAMES) {
  Deno.test(`recall finds what is asked for: ${name}`, async (t) => {
    const corpus: Corpus = await readCorpus(name);
    await using test = await openTestDb();
    await using ours = await openOurs(corpus, test);
    const plain = await ask(ours.plain, corpus.questions);
    const scores = scoresOf(plain);
    const fts5 = scoresOf(
      await ask(createFts5Ranker(corpus), corpus.questions),
    );
    const atLeast = (what: string, value: number, floor: number) =>
      ok(value >= floor, `${what} is ${value.toFixed(3)}, below ${floor}`);
    const of = (group: string) =>
      scores.get(group) ?? { count: 0, r1: 0, r5: 0, mrr: 0 };
    await t.step("of all questions", () => {
      atLeast("R@1", of("all").r1, FLOORS.r1);
      atLeast("R@5", of("all").r5, FLOORS.r5);
    });
    await t.step("in Japanese and Chinese", () => {
      atLeast("R@5 of ja", of("ja").r5, FLOORS.cjkR5);
      atLeast("R@5 of zh", of("zh").r5, FLOORS.cjkR5);
    });
    await t.step("inflected words as well as exact ones", () => {
      atLeast("R@5 of inflected", of("inflected").r5, of("exact").r5);
    });
    await t.step("not worse than FTS5 on any kind, and better overall", () => {
      for (const [group, { r1 }] of fts5) {
        atLeast(`R@1 of ${group}`, of(group).r1, r1);
      }
      ok(of("all").r1 > (fts5.get("all")?.r1 ?? 1));
    });
    await t.step("with vectors paraphrases, too, at no loss", async () => {
      await using embeddings = startFakeEmbeddings(await readSynonyms());
      await using near = await openOurs(corpus, test, { embeddings });
      const found = scoresOf(await ask(near.plain, corpus.questions));
      const paraphrased = found.get("paraphrase")?.r5 ?? 0;
      atLeast("R@5 of paraphrase", paraphrased, VECTOR_PARAPHRASE_R5);
      ok(paraphrased > of("paraphrase").r5);
      atLeast("R@1", found.get("all")?.r1 ?? 0, of("all").r1);
      atLeast("R@5", found.get("all")?.r5 ?? 0, of("all").r5);
    });
    await t.step("with other phrasings", async () => {
      const also = scoreOf(await ask(ours.also, corpus.questions));
      atLeast("R@5 with also", also.r5, FLOORS.alsoR5);
    });
    await t.step(
      "and says that nothing answers where nothing does",
      async () => {
        const asked = corpus.questions
          .filter(({ kind }) => kind === "nothing");
        const invented: string[] = [];
        for (const question of asked) {
          const answer = await ours.answer(question);
          if (answer !== null) invented.push(`${question.query}: ${answer}`);
        }
        ok(invented.length <= asked.length * MOST_INVENTED, invented.join());
      },
    );
  });
}
