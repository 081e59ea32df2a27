/**
 * A call of a tool that is to be refused.
 *
 * @module
 */

/**
 * Its arguments, words of its refusal, and the address where it is not that of
 * the tool's group. `$name` stands for a row of the fixture.
 */
export type Refusal = readonly [
  args: Readonly<Record<string, unknown>>,
  words: RegExp,
  query?: string,
];
