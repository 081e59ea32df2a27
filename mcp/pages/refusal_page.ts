/**
 * The page of a change that a rule refuses.
 *
 * @module
 */
import { FleetRefusalError } from "../../fleet/mod.ts";
import { StoreRefusalError } from "../../store/mod.ts";
import { text } from "./format.ts";
import type { Page } from "./layout.ts";
import { markup } from "./markup.ts";
import { note } from "./parts.ts";

/** The words of a refusal; undefined where an error is none. */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof FleetRefusalError ||
      error instanceof StoreRefusalError
    ? `${error.message}.`
    : undefined;
}

/** The page. @throws The error, where it is no refusal. */
export function refusalPage(title: string, error: unknown): Page {
  const words = refusalOf(error);
  if (words === undefined) throw error;
  const isUnknown = "code" in (error as Error) &&
    (error as { readonly code?: unknown }).code === "not_found";
  return {
    title,
    status: isUnknown ? 404 : 409,
    body: markup`<div role="alert">${note("bad", text(words))}</div>`,
  };
}
