/**
 * Takes the form in which a person says something of a decision.
 *
 * @module
 */
import { FleetRefusalError, recordFeedback } from "../../../fleet/mod.ts";
import { StoreRefusalError } from "../../../store/mod.ts";
import type { Services } from "../../services.ts";
import { type Page, PATHS } from "../layout.ts";
import type { FormCall } from "../door.ts";
import { fieldOf } from "../read_form.ts";
import { decisionPage } from "./decision_page.ts";

/** Records it: where to go then, or the form again with what is wrong. */
export async function giveFeedback(
  services: Services,
  decisionId: number,
  { fields, now, person }: Pick<FormCall, "fields" | "now" | "person">,
): Promise<Page | string> {
  const given = {
    verdict: fieldOf(fields, "verdict"),
    note: fieldOf(fields, "note"),
    author: person.name ?? fieldOf(fields, "author"),
  };
  try {
    await recordFeedback(services, {
      ...given,
      verdict: given.verdict ?? "",
      decisionId,
    });
    return `${PATHS.gate}/${decisionId}`;
  } catch (error) {
    const isRefusal = error instanceof FleetRefusalError ||
      error instanceof StoreRefusalError;
    if (!isRefusal) throw error;
    return await decisionPage(services, decisionId, {
      now,
      person,
      refused: { message: error.message, fields: given },
      status: 400,
    });
  }
}
