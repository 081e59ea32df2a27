/**
 * What the quality of recall is measured on: memories of a person, questions
 * about them, and which memory each question is about.
 *
 * There are two: `person`, in sentences, which rankers may be improved on, and
 * `theatre`, in notes, which is there to notice a ranker that was fitted to the
 * first. Nothing of either is taken from elsewhere. Some questions (`nothing`)
 * are about nothing that is kept.
 *
 * A long document is made of sentences that say little, with those that are
 * asked for at the places that are named.
 *
 * @module
 */

/** Kinds of questions that something answers. */
export const QUESTION_KINDS = [
  "exact",
  "inflected",
  "paraphrase",
  "identifier",
  "deep",
  "speaker",
  "typo",
  "language",
] as const;

/** A kind of question. */
export type QuestionKind = typeof QUESTION_KINDS[number] | "nothing";

/** A question. */
export interface Question {
  readonly kind: QuestionKind;
  readonly query: string;
  /** Ids of the memories it is about; any of them will do. */
  readonly finds: readonly string[];
  /** The same in other words, as an agent would add them. */
  readonly also: readonly string[];
  /** Of a question of the kind `language`: which one. */
  readonly language?: string;
}

/** A memory, with all of its text. */
export interface Memory {
  readonly id: string;
  readonly kind: "learning" | "document" | "conversation";
  /** Text of a learning or a document. */
  readonly text?: string;
  readonly title?: string;
  readonly turns?: readonly {
    readonly role: "user" | "assistant";
    readonly text: string;
  }[];
  readonly tags?: readonly string[];
  readonly filePath?: string;
  readonly url?: string;
  readonly commit?: string;
  readonly language?: string;
}

/** Memories and questions. */
export interface Corpus {
  readonly name: string;
  readonly memories: readonly Memory[];
  readonly questions: readonly Question[];
}

/** A memory as the file has it. */
interface MemoryLine extends Memory {
  /** Characters of a long document. */
  readonly characters?: number;
  /** What its sentences that say little are about. */
  readonly filler?: string;
  /** Its other sentences, and where they stand, as a part of its length. */
  readonly facts?: readonly { readonly at: number; readonly text: string }[];
}

type Filler = Readonly<Record<string, readonly string[]>>;

const FOLDER = new URL("../../data/recall/", import.meta.url);
const SENTENCES_PER_PARAGRAPH = 6;

/** Names of the corpora. */
export const CORPUS_NAMES = ["person", "theatre"] as const;

/** Reads a corpus. */
export async function readCorpus(
  name: typeof CORPUS_NAMES[number],
): Promise<Corpus> {
  const filler: Filler = JSON.parse(
    await Deno.readTextFile(new URL("filler.json", FOLDER)),
  );
  const memories = await readLines<MemoryLine>(`${name}/memories.jsonl`);
  return {
    name,
    memories: memories.map((line, index) => withText(line, filler, index)),
    questions: await readLines<Question>(`${name}/questions.jsonl`),
  };
}

/** All words of a memory, for rankers that keep one text. */
export function wholeText(memory: Memory): string {
  const turns = memory.turns ?? [];
  return [
    memory.title,
    memory.text,
    ...turns.map(({ role, text }) => `${role}: ${text}`),
    ...memory.tags ?? [],
    memory.filePath,
    memory.url,
    memory.commit,
  ].filter((part) => part !== undefined).join("\n");
}

/** Groups of words that mean about the same. */
export async function readSynonyms(): Promise<readonly (readonly string[])[]> {
  return JSON.parse(
    await Deno.readTextFile(new URL("synonyms.json", FOLDER)),
  );
}

async function readLines<T>(path: string): Promise<readonly T[]> {
  const text = await Deno.readTextFile(new URL(path, FOLDER));
  return text.trimEnd().split("\n").map((line): T => JSON.parse(line));
}

function withText(
  { characters, filler: theme, facts = [], ...memory }: MemoryLine,
  filler: Filler,
  seed: number,
): Memory {
  if (characters === undefined) return memory;
  const pool = filler[theme ?? ""];
  if (pool === undefined) throw new Error(`No filler is called ${theme}`);
  const sentences: string[] = [];
  const left = [...facts];
  let [state, length] = [seed + 1, 0];
  while (length < characters || left.length > 0) {
    const [fact] = left;
    const isDue = fact !== undefined && length >= fact.at * characters;
    // The same document each time, on every machine.
    state = (state * 48_271) % 2_147_483_647;
    const next = isDue ? fact.text : pool[state % pool.length] ?? "";
    if (isDue) left.shift();
    sentences.push(next);
    length += next.length + 1;
  }
  const paragraphs: string[] = [];
  for (let at = 0; at < sentences.length; at += SENTENCES_PER_PARAGRAPH) {
    paragraphs.push(
      sentences.slice(at, at + SENTENCES_PER_PARAGRAPH).join(" "),
    );
  }
  return { ...memory, text: paragraphs.join("\n\n") };
}
