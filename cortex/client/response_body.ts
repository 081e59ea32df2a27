/**
 * Reads a body up to a size and until a signal; what is not read is cancelled.
 *
 * @module
 */

/** What was read. */
export interface BodyBytes {
  /** The bytes, at most as many as asked for. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether there were more. */
  readonly isCut: boolean;
}

/**
 * Collects a body. Cancelling the reader, rather than trusting the sender to
 * watch the signal, also stops a body that an in-process service holds open.
 */
export async function readBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<BodyBytes> {
  const { maxBytes, signal } = options;
  if (body === null) return { bytes: new Uint8Array(), isCut: false };
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      chunks.push(value.subarray(0, maxBytes - size));
      size += value.length;
      if (size > maxBytes) break;
    }
    const isCut = size > maxBytes;
    if (isCut) stop();
    const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
    return { bytes, isCut };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Waits for the promise or the signal, whichever is first. A result that comes
 * too late goes to `discard`.
 */
export async function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  discard: (late: T) => void = () => {},
): Promise<T> {
  if (signal === undefined) return await promise;
  const aborted = Promise.withResolvers<never>();
  let isLate = false;
  const stop = () => {
    isLate = true;
    aborted.reject(signal.reason);
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  promise.then((result) => isLate && discard(result), () => {});
  try {
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
