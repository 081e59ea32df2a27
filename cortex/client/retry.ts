/**
 * Which answers are worth another try, and when.
 *
 * A read may be sent again. A write may be sent again only when the other side
 * can tell that it is the same one: by its idempotency key, or because doing it
 * twice is doing it once. Any other write is sent once, whatever comes back.
 *
 * @module
 */

/**
 * What sending a request twice would do: `read` changes nothing, `keyed_write`
 * is recognised as a repeat or does the same once more, `resumable_write` goes
 * on where the answer says it is not finished, `write` may act twice.
 */
export type Effect = "read" | "keyed_write" | "resumable_write" | "write";

/** A try that brought no usable answer. */
export interface FailedTry {
  /** The HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /** The answer's machine code, upper case. */
  readonly errorCode?: string | undefined;
  /** How long the answer asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

/** What the table looks at besides the failed try. */
export interface RetryState {
  /** What sending again would do. */
  readonly effect: Effect;
  /** How many times the request was sent; at least 1. */
  readonly attempt: number;
  /** The most tries the caller allows; none: what the table allows. */
  readonly maxAttempts?: number | undefined;
  /** From 0 up to 1, for the jitter. */
  readonly random: () => number;
}

/** The longest a server's own wish is followed. */
const MAX_RETRY_AFTER_MS = 10_000;

const BASE_DELAY_MS = 250;
const MAX_ATTEMPTS = 3;

/** A read that raced a scope registration: settles within about 8 seconds. */
const STATE_CHANGED_CODE = "AUTHORIZATION_STATE_CHANGED";
const STATE_CHANGED_ATTEMPTS = 6;

/** An erasure that is to be sent again until it is through. */
const UNFINISHED_CODE = "ERASURE_INCOMPLETE";

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([
  408, // The wait for indexing ran out, or the request was too slow.
  429,
  500,
  502,
  503,
  504,
]);

/** Whether the failure may pass by itself. */
export function isTransient(failed: FailedTry): boolean {
  return failed.status === undefined || TRANSIENT_STATUSES.has(failed.status);
}

/** How long to wait before the next try, or undefined: stop. */
export function retryDelay(
  failed: FailedTry,
  state: RetryState,
): number | undefined {
  const { effect, attempt, random } = state;
  if (effect === "write" || !isTransient(failed)) return undefined;
  if (effect === "resumable_write" && failed.errorCode !== UNFINISHED_CODE) {
    return undefined;
  }
  const allowed = failed.errorCode === STATE_CHANGED_CODE
    ? STATE_CHANGED_ATTEMPTS
    : MAX_ATTEMPTS;
  if (attempt >= Math.min(allowed, state.maxAttempts ?? allowed)) {
    return undefined;
  }
  // Spread by 0.5 to 1.5, so that clients cut off together return apart.
  const backoff = BASE_DELAY_MS * 2 ** (attempt - 1) * (0.5 + random());
  return Math.max(backoff, failed.retryAfterMs ?? 0);
}

/**
 * How long an answer asks to wait, capped: numeric `Retry-After`, else numeric
 * `RateLimit-Reset`, both in seconds. The date form is ignored: it would trust
 * the other side's clock.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  for (const name of ["retry-after", "ratelimit-reset"]) {
    const text = headers.get(name)?.trim() ?? "";
    if (!/^\d+(\.\d+)?$/.test(text)) continue;
    return Math.min(Number(text) * 1_000, MAX_RETRY_AFTER_MS);
  }
  return undefined;
}
