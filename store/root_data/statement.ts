/**
 * Statements that are put together from parts: text, and the values it is sent
 * with.
 *
 * @module
 */

/** A statement and what it is sent with. */
export interface Statement {
  /** The SQL. */
  readonly text: string;
  /** Its parameters. */
  readonly params: readonly unknown[];
}

/** Keeps a value as a parameter, and names its place, with its type. */
export type Bind = (value: unknown, type: string) => string;

/** Collects parameters and names their places. */
export function parameters(): {
  readonly params: unknown[];
  readonly bind: Bind;
} {
  const params: unknown[] = [];
  return { params, bind: (value, type) => `$${params.push(value)}::${type}` };
}
