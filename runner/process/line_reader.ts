/**
 * Reads lines of a process's output, whatever it writes: bytes that are no
 * UTF-8, lines without an end, lines of many megabytes.
 *
 * @module
 */

/** A line, and whether something of it was left out. */
export interface Line {
  /** Its text, without its end. */
  readonly text: string;
  /** Bytes that it had. */
  readonly bytes: number;
  /** Whether `text` is only its beginning. */
  readonly isCut: boolean;
}

const LINE_FEED = 0x0a;

/** Yields lines; of each at most so many bytes. The last one may lack its end. */
export async function* readLines(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Line> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let bytes = 0;
  const keep = (part: Uint8Array) => {
    bytes += part.length;
    const room = maxBytes - heldBytes;
    if (room <= 0) return;
    const kept = part.length > room ? part.slice(0, room) : part;
    held.push(kept);
    heldBytes += kept.length;
  };
  const take = (): Line => {
    const line = {
      text: decode(held, heldBytes),
      bytes,
      isCut: bytes > heldBytes,
    };
    held = [];
    heldBytes = bytes = 0;
    return line;
  };
  for await (const chunk of stream) {
    let from = 0;
    for (
      let at = chunk.indexOf(LINE_FEED);
      at >= 0;
      at = chunk.indexOf(LINE_FEED, from)
    ) {
      keep(chunk.subarray(from, at));
      yield take();
      from = at + 1;
    }
    keep(chunk.slice(from));
  }
  if (bytes > 0) yield take();
}

function decode(parts: readonly Uint8Array[], length: number): string {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  const text = new TextDecoder().decode(whole);
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
