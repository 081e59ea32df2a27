/**
 * What the browsers have in common: parameters of their queries, and the page
 * of a query that is refused.
 *
 * @module
 */
import { StoreRefusalError } from "../../store/mod.ts";
import { text } from "./format.ts";
import type { Page } from "./layout.ts";
import { type Html, markup } from "./markup.ts";
import { note } from "./parts.ts";

/** Parameters of a query, the first of each name. */
export type Query = Readonly<Record<string, string>>;

/** A parameter without blanks around it; undefined where nothing is left. */
export function given(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}

/** Rows of a page; what is no number is refused by the store. */
export function pageLimit(value: string | undefined, standard: number): number {
  return value === undefined ? standard : Number(value);
}

/** A form and what it finds, or why it was refused. */
export async function orRefusal(
  title: string,
  form: Html,
  find: () => Promise<Html>,
): Promise<Page> {
  try {
    const found = await find();
    return { title, body: markup`${form}${found}` };
  } catch (error) {
    if (!(error instanceof StoreRefusalError)) throw error;
    const reason = note("bad", markup`${text(error.message)}.`);
    return {
      title,
      status: 400,
      body: markup`${form}<div role="alert">${reason}</div>`,
    };
  }
}
