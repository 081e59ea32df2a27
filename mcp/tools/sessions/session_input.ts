/**
 * How tools are told which session they are about.
 *
 * @module
 */

/** Schema of an argument that names a session. */
export const SESSION_NAME_INPUT = {
  type: "string",
  maxLength: 200,
  description: "The session's id or slug",
} as const;
