/**
 * Waiting for a process to end, so that one which does not fails its test with
 * what was seen of it, and does not hang the suite.
 *
 * @module
 */

/** Longest a process may run that is to end by itself. */
const ENDING_MS = 180_000;

/** What a stream said so far, and when it has ended. */
export interface Collected {
  readonly text: () => string;
  readonly ended: Promise<void>;
}

/** Reads a stream to its end. */
export function collect(stream: ReadableStream<Uint8Array>): Collected {
  const decoder = new TextDecoder();
  let text = "";
  const ended = stream.pipeTo(
    new WritableStream({
      write(chunk) {
        text += decoder.decode(chunk, { stream: true });
      },
    }),
  );
  return { text: () => text, ended };
}

/** What is waited for. */
export interface Ending<T> {
  /** Names it. */
  readonly what: string;
  /** Ends with the process. */
  readonly work: Promise<T>;
  /** What was seen of the process so far. */
  readonly seen: () => string;
  /** @default {ENDING_MS} */
  readonly limitMs?: number;
}

/** The result of `work`; a process that does not get there is killed. */
export async function ending<T>(
  child: Pick<Deno.ChildProcess, "kill">,
  { what, work, seen, limitMs = ENDING_MS }: Ending<T>,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    child.kill("SIGKILL");
    reject(new Error(`Not within ${limitMs} ms: ${what}\n${seen()}`));
  }, limitMs);
  // What its killing breaks is not the reason.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
