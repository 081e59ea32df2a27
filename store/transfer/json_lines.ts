/**
 * Reads JSON Lines from bytes: a line at a time, in time linear in the input
 * and memory bounded by the longest line that is allowed.
 *
 * @module
 */

/** A line that is not blank, or why it cannot be read. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly fault: string };

const LINE_FEED = 10;

/** Reads the lines; a line longer than `maxBytes` is a fault, and skipped. */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Line> {
  const line = new OpenLine(maxBytes);
  let number = 0;
  for await (const chunk of input) {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(LINE_FEED, at);
      line.add(chunk.subarray(at, end < 0 ? chunk.length : end));
      if (end < 0) break;
      const read = line.take(++number);
      if (read !== undefined) yield read;
      at = end + 1;
    }
  }
  const read = line.take(++number);
  if (read !== undefined) yield read;
}

/** The line under way: its pieces are joined once, at its end. */
class OpenLine {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) this.#pieces = [];
    // A copy: the reader may use the chunk's memory again.
    else if (piece.length > 0) this.#pieces.push(piece.slice());
  }

  take(number: number): Line | undefined {
    const bytes = this.#bytes;
    const pieces = this.#pieces;
    this.#bytes = 0;
    this.#pieces = [];
    if (bytes > this.#maxBytes) {
      const fault =
        `The line is ${bytes} bytes; the limit is ${this.#maxBytes}`;
      return { number, fault };
    }
    const whole = new Uint8Array(bytes);
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    try {
      const text = this.#decoder.decode(whole).trim();
      return text === "" ? undefined : { number, text };
    } catch {
      return { number, fault: "The line is not UTF-8" };
    }
  }
}
