/**
 * A text as a row of tokens: words of any script, and identifiers both whole
 * and in parts.
 *
 * @module
 */
import { fold, lower } from "./fold.ts";
import { STOP_WORDS_WITHOUT_SPACES } from "./stop_words.ts";

/** What an index holds of one place in a text. */
export interface Token {
  /** In lower case, with accents. */
  readonly word: string;
  /** Its place among the words, from 0. */
  readonly position: number;
  /**
   * `word`: a word of its own. `joined`: an identifier as a whole, beside its
   * parts. `gram`: two or one characters of a script without spaces.
   * `segment`: a word of such a script that is not made of grams alone.
   */
  readonly kind: "word" | "joined" | "gram" | "segment";
  /** Word that a gram is part of, by number; grams across words have none. */
  readonly segment?: number | undefined;
  /** Whether the word that it is or is part of says nothing by itself. */
  readonly isStop?: boolean | undefined;
}

/** Longest word that is kept; a longer one is no word. */
const MAX_WORD_CHARACTERS = 64;
/** Chunks that are remembered with their tokens; then the table begins anew. */
const MAX_CHUNKS = 10_000;
const CHUNKS_REGEXP =
  /[\p{L}\p{N}\p{M}]+(?:[.,'’\-_/\\:@·+#&~]{1,2}[\p{L}\p{N}\p{M}]+)*(?:\+\+|#)?/gu;
/** Most words of most texts: nothing about them has to be looked into. */
const PLAIN_REGEXP = /^(?:[A-Z]?[a-z]+|[A-Z]+)$/;
const SIMPLE_REGEXP = /^(?:\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}+|\p{N}+)$/u;
const SEPARATORS_REGEXP = /[.,\-_/\\:@·+#&~]+/u;
/** Where an identifier goes on with a new word. */
const HUMPS_REGEXP =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u30fc\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const UNSPACED_REGEXP = new RegExp(`[${UNSPACED}]`, "u");
const RUNS_REGEXP = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, "gu");
const HAN_REGEXP = /[\p{Script=Han}々〆ヶ]+/gu;
const HANGUL_REGEXP = /^\p{Script=Hangul}+$/u;
const NUMBER_REGEXP = /^\p{N}+$/u;
const GROUPED_REGEXP = /^\p{N}{1,3}(?:[.,]\p{N}{3})+$/u;

const segmenter = new Intl.Segmenter("ja", { granularity: "word" });

/** Cuts a text into tokens, in the order of the text. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const row: Row = { tokens, position: 0, segment: 0 };
  for (const [chunk] of text.matchAll(CHUNKS_REGEXP)) addChunk(row, chunk);
  return tokens;
}

interface Row {
  readonly tokens: Token[];
  position: number;
  segment: number;
}

function addWord(row: Row, word: string): void {
  if (word === "" || word.length > MAX_WORD_CHARACTERS) return;
  row.tokens.push({ word, position: row.position++, kind: "word" });
}

function addChunk(row: Row, chunk: string): void {
  if (PLAIN_REGEXP.test(chunk)) return addWord(row, chunk.toLowerCase());
  const known = cutChunks.get(chunk);
  if (known !== undefined) return addCut(row, known);
  if (UNSPACED_REGEXP.test(chunk)) {
    for (const [run] of chunk.matchAll(RUNS_REGEXP)) {
      if (UNSPACED_REGEXP.test(run)) addUnspaced(row, run);
      else for (const [one] of run.matchAll(CHUNKS_REGEXP)) addSpaced(row, one);
    }
    return;
  }
  addSpaced(row, chunk);
}

function addSpaced(row: Row, chunk: string): void {
  if (HANGUL_REGEXP.test(chunk)) return addHangul(row, chunk);
  addCut(row, cutChunks.get(chunk) ?? cutChunk(chunk));
}

/** A chunk's tokens, their places counted from its own. */
interface CutChunk {
  readonly tokens: readonly Token[];
  /** How many places it takes. */
  readonly places: number;
}

/** Names come again and again, and cutting one is dear. */
const cutChunks = new Map<string, CutChunk>();

function addCut(row: Row, { tokens, places }: CutChunk): void {
  for (const { word, kind, position } of tokens) {
    row.tokens.push({ word, kind, position: row.position + position });
  }
  row.position += places;
}

function cutChunk(chunk: string): CutChunk {
  const row: Row = { tokens: [], position: 0, segment: 0 };
  if (SIMPLE_REGEXP.test(chunk)) addWord(row, lower(chunk));
  else {
    // A path is a row of names, and each name may have parts.
    for (const name of chunk.split(/[/\\@]+|:{1,2}(?=\p{L})/u)) {
      addName(row, name);
    }
  }
  const cut = { tokens: row.tokens, places: row.position };
  if (chunk.length <= MAX_WORD_CHARACTERS) {
    if (cutChunks.size >= MAX_CHUNKS) cutChunks.clear();
    cutChunks.set(chunk, cut);
  }
  return cut;
}

/** A name with its parts, which are at the same place. */
function addName(row: Row, name: string): void {
  if (name === "") return;
  if (/[+#]$/.test(name)) return addWord(row, lower(name)); // c++, c#
  const first = row.position;
  const pieces = name.split(SEPARATORS_REGEXP).flatMap(withoutApostrophe)
    .map((piece): Piece => ({ piece, parts: partsOf(piece) }));
  const parts = pieces.flatMap((one) => one.parts);
  const isNumber = parts.every((part) => NUMBER_REGEXP.test(part));
  if (isNumber && pieces.length > 1) {
    // 2.4.0, 10:30, 2026-12-01: the whole is the word.
    addWord(row, lower(name));
    if (GROUPED_REGEXP.test(name)) {
      addJoined(row, name.replace(/[.,]/g, ""), first);
    }
    for (const part of parts) {
      if (part.length > 2) addJoined(row, part, first);
    }
    return;
  }
  for (const piece of pieces) addPiece(row, piece);
  if (parts.length > 1 && row.position > first) {
    addJoined(row, pieces.map(({ piece }) => piece).join(""), first);
  }
}

/** What separators leave of a name, and the words of it. */
interface Piece {
  readonly piece: string;
  readonly parts: readonly string[];
}

/** A piece of a name: its humps are words, letters beside digits are not. */
function addPiece(row: Row, { piece, parts }: Piece): void {
  const first = row.position;
  if (parts.length === 1) return addWord(row, lower(piece));
  if (parts.some((part) => NUMBER_REGEXP.test(part)) && !isHumped(piece)) {
    addWord(row, lower(piece)); // sha256, v2
    for (const part of parts) {
      if (part.length > 2) addJoined(row, part, first);
    }
    return;
  }
  for (const part of parts) addWord(row, lower(part));
  addJoined(row, piece, first);
}

function isHumped(piece: string): boolean {
  return /\p{Ll}\p{Lu}/u.test(piece);
}

function partsOf(piece: string): readonly string[] {
  return SIMPLE_REGEXP.test(piece) ? [piece] : piece.split(HUMPS_REGEXP);
}

function addJoined(row: Row, name: string, position: number): void {
  const word = lower(name);
  if (word.length > MAX_WORD_CHARACTERS) return;
  const isThere = row.tokens.slice(-8).some((one) =>
    one.word === word && one.position === position
  );
  if (!isThere) row.tokens.push({ word, position, kind: "joined" });
}

/** `Nora's` is Nora, `don't` one word, `l'eau` two. */
function withoutApostrophe(piece: string): readonly string[] {
  if (!/['’]/u.test(piece)) return [piece];
  const bare = piece.replace(/['’]s$/iu, "");
  const match = /^(\p{L}{1,2}|qu|lorsqu|jusqu|dell|nell|sull|all)['’](.+)$/iu
    .exec(bare);
  const [, before = "", after = ""] = match ?? [];
  return match !== null && after.length > 2
    ? [before, after.replace(/['’]/gu, "")]
    : [bare.replace(/['’]/gu, "")];
}

/** Korean puts its particles behind the word: grams find it all the same. */
function addHangul(row: Row, chunk: string): void {
  const segment = row.segment++;
  const characters = [...lower(chunk)];
  if (characters.length > MAX_WORD_CHARACTERS) return;
  if (characters.length < 3) return addWord(row, characters.join(""));
  for (let at = 0; at + 1 < characters.length; at++) {
    const word = `${characters[at]}${characters[at + 1]}`;
    row.tokens.push({ word, position: row.position++, kind: "gram", segment });
  }
}

/** Words by dictionary; of Han also every two characters, and each. */
function addUnspaced(row: Row, run: string): void {
  const text = lower(run);
  const begins = new Map<number, number>();
  for (const { segment, index, isWordLike } of segmenter.segment(text)) {
    if (isWordLike === false) continue;
    const number = row.segment++;
    for (let at = 0; at < segment.length; at++) begins.set(index + at, number);
    addSegment(row, segment, number);
  }
  // What lies across two words: a dictionary is not always right.
  for (const { 0: han, index } of text.matchAll(HAN_REGEXP)) {
    const characters = [...han];
    let at = index;
    for (const [place, one] of characters.entries()) {
      const next = characters[place + 1];
      const here = begins.get(at);
      at += one.length;
      if (next === undefined || here === begins.get(at)) continue;
      row.tokens.push({
        word: one + next,
        position: row.position - 1,
        kind: "gram",
      });
    }
  }
}

function addSegment(row: Row, segment: string, number: number): void {
  const first = row.position;
  const isStop = STOP_WORDS_WITHOUT_SPACES.has(segment);
  let isHan = true;
  let grams = 0;
  for (const [han] of segment.matchAll(HAN_REGEXP)) {
    const characters = [...han];
    if (han.length < segment.length) isHan = false;
    for (const [place, one] of characters.entries()) {
      const next = characters[place + 1];
      const position = row.position++;
      const own = { position, kind: "gram", segment: number, isStop } as const;
      row.tokens.push({ word: one, ...own });
      if (next !== undefined) row.tokens.push({ word: one + next, ...own });
      grams++;
    }
  }
  if (grams > 0 && isHan) return;
  const word = fold(segment).replace(/ー$/u, "") || segment;
  if (word.length > MAX_WORD_CHARACTERS) return;
  if (grams === 0) row.position++;
  row.tokens.push({
    word,
    position: first,
    kind: "segment",
    segment: number,
    isStop,
  });
}
