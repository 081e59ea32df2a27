/**
 * Error classes of cortex, and the one way foreign text gets into a message.
 *
 * @module
 */

const MAX_QUOTED = 60;

/**
 * Foreign text as a message may show it: quoted, cut, and with everything but
 * printable ASCII escaped, so that no control character reaches a terminal and
 * no look-alike letter passes for another.
 */
export function quote(text: string, most = MAX_QUOTED): string {
  const cut = text.slice(0, most);
  const shown = JSON.stringify(cut).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const more = text.length - cut.length;
  return more > 0 ? `${shown} (${more} more characters)` : shown;
}

/** A text that our own grammar does not admit. */
export class ScopeSyntaxError extends SyntaxError {
  /** Always `ScopeSyntaxError`. */
  override readonly name = "ScopeSyntaxError";
  /** The whole text, as it was given. */
  readonly input: string;
  /** Where in `input` the fault begins, in UTF-16 code units. */
  readonly offset: number;
  /** What is wrong there, without the input. */
  readonly reason: string;

  /** Takes what the text should have been, the text, and its fault. */
  constructor(
    what: string,
    input: string,
    fault: { readonly reason: string; readonly offset: number },
  ) {
    const { reason, offset } = fault;
    super(`Cannot read ${what} ${quote(input)}: ${reason} (at ${offset})`);
    this.input = input;
    this.offset = offset;
    this.reason = reason;
  }
}

/** One setting that an engine cannot be built from. */
export interface ConfigProblem {
  /** The setting's name, as in `EngineSettings`. */
  readonly setting: string;
  /** What is wrong with it; never holds a credential. */
  readonly message: string;
}

/** The settings make no engine. Says everything that is wrong at once. */
export class CortexConfigError extends Error {
  /** Always `CortexConfigError`. */
  override readonly name = "CortexConfigError";
  /** Every problem found, in the order of the settings. */
  readonly problems: readonly ConfigProblem[];

  /** Takes the problems; at least one. */
  constructor(problems: readonly ConfigProblem[]) {
    const list = problems.map((one) => `${one.setting}: ${one.message}`);
    super(`Cannot build a CortexDB engine: ${list.join("; ")}`);
    this.problems = problems;
  }
}

/** Why CortexDB, or this client before sending, said no. */
export type RefusalReason =
  | "unsupported"
  | "invalid_request"
  | "unauthorized"
  | "not_found"
  | "conflict"
  | "refused";

/** What a refusal carries besides its message. */
export interface RefusalFacts {
  /** What kind of no it is. */
  readonly reason: RefusalReason;
  /** The HTTP status; undefined when nothing was sent. */
  readonly status?: number | undefined;
  /** The machine code of the answer, upper case. */
  readonly errorCode?: string | undefined;
  /** The answer's request id, for the operator of the other side. */
  readonly requestId?: string | undefined;
}

/** An answer that another try will not change, or a request not worth sending. */
export class CortexRefusalError extends Error {
  /** Always `CortexRefusalError`. */
  override readonly name = "CortexRefusalError";
  /** What kind of no it is. */
  readonly reason: RefusalReason;
  /** The HTTP status; undefined when nothing was sent. */
  readonly status: number | undefined;
  /** The machine code of the answer, upper case. */
  readonly errorCode: string | undefined;
  /** The answer's request id, for the operator of the other side. */
  readonly requestId: string | undefined;

  /** Takes the message and what is known. */
  constructor(message: string, facts: RefusalFacts) {
    super(message);
    this.reason = facts.reason;
    this.status = facts.status;
    this.errorCode = facts.errorCode;
    this.requestId = facts.requestId;
  }
}

/** What an unavailability carries besides its message. */
export interface UnavailableFacts {
  /** How many times the request was sent. */
  readonly attempts: number;
  /** True for a write that may have been applied all the same. */
  readonly isOutcomeUnknown?: boolean | undefined;
  /** The last answer's HTTP status; undefined when there was none. */
  readonly status?: number | undefined;
  /** The last answer's machine code, upper case. */
  readonly errorCode?: string | undefined;
  /** What broke the last attempt, when no answer came. */
  readonly cause?: unknown;
}

/** No usable answer: network, time limit, or 408/429/5xx after every try. */
export class CortexUnavailableError extends Error {
  /** Always `CortexUnavailableError`. */
  override readonly name = "CortexUnavailableError";
  /** How many times the request was sent. */
  readonly attempts: number;
  /** True for a write that may have been applied all the same. */
  readonly isOutcomeUnknown: boolean;
  /** The last answer's HTTP status; undefined when there was none. */
  readonly status: number | undefined;
  /** The last answer's machine code, upper case. */
  readonly errorCode: string | undefined;

  /** Takes the message and what is known. */
  constructor(message: string, facts: UnavailableFacts) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.attempts = facts.attempts;
    this.isOutcomeUnknown = facts.isOutcomeUnknown ?? false;
    this.status = facts.status;
    this.errorCode = facts.errorCode;
  }
}

/** Where an answer stopped making sense, and how. */
export interface ProtocolFault {
  /** What was asked for: "list events". */
  readonly operation: string;
  /** Where in the answer: `$.items[0].id`; `$` is the whole answer. */
  readonly path: string;
  /** What is wrong there; never quotes the answer. */
  readonly problem: string;
  /** Whether there is more of it than is read. */
  readonly isTooLarge?: boolean;
}

/** A good status with an answer that this client does not understand. */
export class CortexProtocolError extends Error {
  /** Always `CortexProtocolError`. */
  override readonly name = "CortexProtocolError";
  /** Where in the answer: `$.items[0].id`; `$` is the whole answer. */
  readonly path: string;
  /** Whether it was larger than what is read: less may be asked for. */
  readonly isTooLarge: boolean;

  /** Takes the fault, and what it was noticed by. */
  constructor(fault: ProtocolFault, options?: ErrorOptions) {
    const { operation, path, problem, isTooLarge = false } = fault;
    super(`Cannot ${operation}: answer not understood, ${path} ${problem}`, {
      ...options,
    });
    this.path = path;
    this.isTooLarge = isTooLarge;
  }
}
