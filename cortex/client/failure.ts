/**
 * From the last failed try of a request to the error that says so.
 *
 * @module
 */

import {
  CortexRefusalError,
  CortexUnavailableError,
  quote,
} from "../errors.ts";
import { type BadAnswer, refusalReason } from "./refusal.ts";
import { isTransient } from "./retry.ts";
import { withoutSecret } from "./secret.ts";

const MAX_QUOTED_WORDS = 300;

/** A try that failed: a bad answer, or none. */
export type Failure =
  | { readonly kind: "bad"; readonly answer: BadAnswer }
  | { readonly kind: "none"; readonly cause: unknown };

/** What led to the failure. */
export interface FailedCall {
  /** What was asked for. */
  readonly operation: string;
  /** How many times. */
  readonly attempts: number;
  /** What no message may hold. */
  readonly secret: string;
  /** Whether one of the tries may have been a write that was applied. */
  readonly isOutcomeUnknown: boolean;
}

/**
 * Whether a write may have been applied although its try failed. A 429 and a
 * 503 were turned away at the door; a 408 is a write that was captured.
 */
export function mayHaveActed(failure: Failure): boolean {
  if (failure.kind === "none") return true;
  const { status } = failure.answer;
  return isTransient(failure.answer) && status !== 429 && status !== 503;
}

/** The error that a call ends with. */
export function toCallError(
  failure: Failure,
  call: FailedCall,
): CortexRefusalError | CortexUnavailableError {
  return failure.kind === "none"
    ? toSilenceError(failure.cause, call)
    : toAnswerError(failure.answer, call);
}

function toSilenceError(
  cause: unknown,
  { operation, attempts, isOutcomeUnknown }: FailedCall,
): CortexUnavailableError {
  const isLate = cause instanceof DOMException && cause.name === "TimeoutError";
  const what = isLate ? "no full answer within the time limit" : "no answer";
  return new CortexUnavailableError(
    `Cannot ${operation}: ${what} (${counted(attempts)})`,
    { attempts, isOutcomeUnknown, cause },
  );
}

function toAnswerError(
  answer: BadAnswer,
  call: FailedCall,
): CortexRefusalError | CortexUnavailableError {
  const { operation, attempts, secret, isOutcomeUnknown } = call;
  const { status } = answer;
  const errorCode = unlessSecret(answer.errorCode, secret);
  const words = quote(withoutSecret(answer.text, secret), MAX_QUOTED_WORDS);
  const message = `Cannot ${operation}: CortexDB answered ${status}` +
    (errorCode === undefined ? "" : ` ${errorCode}`) +
    (answer.text === "" ? "" : `: ${words}`) +
    (attempts === 1 ? "" : ` (${counted(attempts)})`);
  const reason = refusalReason(answer);
  // The claim of an earlier try still stands: that try may have got through.
  const isOwnClaim = attempts > 1 && reason === "conflict" &&
    errorCode === "CONFLICT";
  if (isTransient(answer) || isOwnClaim) {
    return new CortexUnavailableError(message, {
      attempts,
      isOutcomeUnknown: isOutcomeUnknown || isOwnClaim,
      status,
      errorCode,
    });
  }
  const requestId = unlessSecret(answer.requestId, secret);
  return new CortexRefusalError(message, {
    reason,
    status,
    errorCode,
    requestId,
  });
}

/** Undefined for a code or id that shows the credential, in any case. */
function unlessSecret(
  text: string | undefined,
  secret: string,
): string | undefined {
  if (text === undefined || secret === "") return text;
  const isSafe = !text.toLowerCase().includes(secret.toLowerCase());
  return isSafe ? text : undefined;
}

function counted(attempts: number): string {
  return attempts === 1 ? "1 try" : `${attempts} tries`;
}
