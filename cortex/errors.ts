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
export function quote(text: string): string {
  const cut = text.slice(0, MAX_QUOTED);
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
