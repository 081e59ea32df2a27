/**
 * The version of this program.
 *
 * @module
 */

/** Semantic version, as the changelog has it. */
export const VERSION = "0.1.0";
