/**
 * Markup as a template that escapes what is put into it.
 *
 * @module
 */
import { html } from "hono/html";

/**
 * Builds markup; data in it is escaped, markup and lists of it are not. Hono's
 * `html` under a name that the formatter does not know, because it would put
 * white space into the page.
 */
export const markup = html;

/** Escaped markup. */
export type Html = ReturnType<typeof html>;
