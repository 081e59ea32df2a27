import { deepEqual, equal, ok } from "node:assert/strict";
import * as fc from "fast-check";
import { analyseQuery, analyseText, hasContent } from "./analyser.ts";
import { PASSAGE_LENGTH, passagesOf } from "./passages.ts";
import { rankTexts } from "./rank_texts.ts";

/** Whether a query finds every word that it asks for in a text. */
function finds(query: string, text: string): boolean {
  const { terms } = analyseText(text);
  const asked = analyseQuery(query).terms
    .filter(({ isStop, isBonus }) => !isStop && !isBonus);
  return asked.length > 0 &&
    asked.every(({ alternatives }) =>
      [...alternatives.keys()].some((term) => terms.has(term))
    );
}

const FOUND: readonly (readonly [name: string, query: string, text: string])[] =
  [
    ["an inflected word", "deploying databases", "The database is deployed"],
    ["a German plural", "Wohnungen", "Wir suchen eine Wohnung in Berlin"],
    ["German without umlaut", "Wohnkuche", "Die Wohnküche ist groß"],
    ["a French plural", "les chevaux", "un cheval dans le pré"],
    ["Spanish", "canciones", "Me gusta esta canción"],
    ["Russian", "книга", "Я читаю книги"],
    ["another case and accents", "CREME cafe", "Café crème"],
    ["full width letters", "ＡＢＣ", "abc"],
    ["Japanese", "図書館", "図書館で本を借りた。"],
    ["an inflected Japanese verb", "食べる", "昨日ケーキを食べた"],
    [
      "a Japanese word with and without its last mark",
      "サーバ",
      "サーバーが落ちた",
    ],
    ["Chinese", "会议室", "我们预订了三楼的会议室"],
    ["Thai", "ภาษาไทย", "ผมเรียนภาษาไทย"],
    ["Korean with a particle", "데이터베이스", "데이터베이스를 재시작했다"],
    ["the parts of an identifier", "user mail", "call getUserByMail here"],
    ["an identifier by its parts", "getUserByMail", "get the user by mail"],
    ["one spelling by another", "get_user_by_mail", "getUserByMail()"],
    ["an identifier in lower case", "getuserbymail", "getUserByMail()"],
    ["the name of a file", "main.ts", "see src/app/main.ts, line 4"],
    ["a version", "2.4.0", "updated to v2.4.0 or 2.4.0"],
    ["a number among letters", "256", "a SHA-256 digest"],
    ["a number in groups", "1000", "costs 1,000 euros"],
    ["C++", "c++", "written in C++ and C#"],
    ["an owner", "Nora", "Nora's train"],
    ["behind an article", "appartement", "le loyer de l'appartement"],
  ];

for (const [name, query, text] of FOUND) {
  Deno.test(`a query finds ${name}`, () => ok(finds(query, text)));
}

Deno.test("a word finds itself, whatever language its text is taken for", () => {
  const texts = [
    "Die preferences der Wohnungen und Katzen sind wichtig",
    "The preferences of Wohnungen and Katzen are important",
    "les preferences des Wohnungen et Katzen sont importantes",
  ];
  for (const text of texts) {
    for (const word of ["preferences", "Wohnungen", "Katzen"]) {
      ok(finds(word, text), `${word} in ${text}`);
    }
  }
});

Deno.test("words that say nothing are marked, and found in phrases", () => {
  const { terms } = analyseQuery("Which train does Nora take?");
  deepEqual(terms.filter(({ isStop }) => isStop).map(({ word }) => word), [
    "which",
    "does",
  ]);
  ok(!hasContent(analyseQuery("to be or not to be")));
  ok(analyseText("To be, or not to be").terms.has("or"));
  deepEqual(analyseQuery("?!").terms, []);
});

Deno.test("any text is analysed, and any word of letters finds itself", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    analyseText(text);
    analyseQuery(text);
  }));
  const word = fc.stringMatching(/^[a-zäöüéñß]{3,20}$/);
  fc.assert(fc.property(fc.array(word, { minLength: 1 }), (words) => {
    const [asked = ""] = words;
    const { terms } = analyseText(words.join(" "));
    const [sought] = analyseQuery(asked).terms;
    ok([...sought?.alternatives.keys() ?? []].some((term) => terms.has(term)));
  }));
});

Deno.test("passages join to their text, end with a word, and are no longer than they may", () => {
  const text = fc.array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.constantFrom(
        ". ",
        "\n\n",
        "。",
        "word ".repeat(100),
        "x".repeat(3_000),
      ),
    ),
    { maxLength: 60 },
  ).map((parts) => parts.join(""));
  fc.assert(fc.property(text, (whole) => {
    const passages = [...passagesOf(whole)];
    equal(passages.map((one) => one.text).join(""), whole);
    let from = 0;
    for (const one of passages) {
      equal(one.from, from);
      ok(one.text.length <= PASSAGE_LENGTH);
      from += one.text.length;
    }
  }));
  const sentences = "All of this is one sentence. ".repeat(500);
  for (const { text } of passagesOf(sentences)) ok(text.endsWith(". "));
});

Deno.test("a name has the same terms wherever and however often it stands", () => {
  const names = [
    "getUserByMail",
    "src/app/main.ts",
    "v2.4.0",
    "sha256",
    "l'eau",
    "Größe",
    "C++",
    "1,000",
    "HTTPServer_v2",
    "서버를A1",
    "図書館API2",
  ];
  const termsOf = (text: string, first: number) =>
    [...analyseText(text).terms].map(([term, places]) => [
      term,
      places.map((place) => place - first),
    ]);
  for (const name of names) {
    const alone = termsOf(name, 0);
    deepEqual(termsOf(name, 0), alone, name);
    const behind = termsOf(`eins zwei ${name}`, 2).slice(2);
    deepEqual(behind, alone, name);
  }
});

Deno.test("of two texts with a word each the one comes first that has the name", async () => {
  const texts = ["Uncle Bo does not eat pork", "Lennart carries a blue bag"];
  for (const order of [texts, texts.toReversed()]) {
    const first = async (query: string) => {
      const ranked = await rankTexts(
        analyseQuery(query),
        order,
        (text) => ({ text }),
      );
      equal(ranked.length, 2);
      const [best, other] = ranked;
      ok(best !== undefined && other !== undefined);
      // A name is no larger part of what is asked.
      equal(best.coverage, other.coverage);
      return best.candidate;
    };
    equal(await first("What can't Lennart eat?"), texts[1]);
    equal(await first("what should be told of Bo's blue one"), texts[0]);
  }
});

Deno.test("rankTexts() puts what says more of the query first, and leaves out the rest", async () => {
  const texts = [
    "Minutes of the meeting: tests take four hours.",
    "Nora takes the early train, never the bus.",
    "The train is late, and so is Nora's brother, who never takes the bus.",
    "Which of these does nothing",
  ];
  const ranked = await rankTexts(
    analyseQuery("Which train does Nora take?"),
    texts,
    (text) => ({ text }),
  );
  deepEqual(ranked.map(({ candidate }) => texts.indexOf(candidate)), [1, 2, 0]);
  ok(ranked.every(({ score, coverage }) => score <= 1 && coverage <= 1));
  equal(ranked[0]?.coverage, 1);
  const [titled] = await rankTexts(
    analyseQuery("early train"),
    [{ title: "Early train", text: "x" }, { title: "y", text: "early train" }],
    (one) => one,
  );
  equal(titled?.candidate.title, "Early train");
});
