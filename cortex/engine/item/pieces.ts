/**
 * Cutting a large document into pieces, and joining them again.
 *
 * Pieces join to the very text they were cut from: they are cut at a line end
 * where there is one in the last quarter, else behind a space there, so that no
 * word is cut in two and lost to recall, and never inside a character.
 *
 * @module
 */

/** What a piece is aimed at, in bytes as JSON writes the text in UTF-8. */
const PIECE_BYTES = 256 * 1024;

/** `\b`, `\t`, `\n`, `\f`, `\r`. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([8, 9, 10, 12, 13]);

/** Cuts a text; the pieces joined give the text. */
export function cutPieces(
  text: string,
  most: number = PIECE_BYTES,
): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  while (start < text.length) {
    const end = pieceEnd(text, start, most);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces.length === 0 ? [""] : pieces;
}

function pieceEnd(text: string, start: number, most: number): number {
  let bytes = 0;
  let lineEnd = -1;
  let wordEnd = -1;
  for (let at = start; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    bytes += jsonBytes(code);
    if (bytes > most && at > start) {
      return lineEnd > start ? lineEnd : wordEnd > start ? wordEnd : at;
    }
    at += code > 0xffff ? 2 : 1;
    if (bytes <= most * 0.75) continue;
    if (code === 10) lineEnd = at;
    if (code === 0x20 || code === 0x3000) wordEnd = at;
  }
  return text.length;
}

/** What a character takes in a request: the size that an event is held to. */
function jsonBytes(code: number): number {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x20) return SHORT_ESCAPES.has(code) ? 2 : 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code >= 0xd800 && code < 0xe000) return 6; // Half a character.
  return code < 0x10000 ? 3 : 4;
}
