/**
 * What is thrown where start-up values are wrong.
 *
 * @module
 */

/** A start-up value is wrong: one line a problem, exit code 2. */
export class ConfigError extends Error {
  /** Always `ConfigError`. */
  override readonly name = "ConfigError";
  /** All problems that were found. */
  readonly problems: readonly string[];

  /** Takes the problems, each a line for the operator. */
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}
