/**
 * Joins the chunks of a stream.
 *
 * @module
 */

/** One array of all chunks; `length` is the sum of theirs. */
export function joinChunks<T extends ArrayBufferLike>(
  chunks: readonly Uint8Array<T>[],
  length: number,
): Uint8Array<T | ArrayBuffer> {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
